"""The package `instructor` over `openai`, in the modes TOOLS, JSON and JSON_SCHEMA: it makes objects, and nothing else."""
import instructor
import openai
import pydantic
import verbs
from typing import Literal
from verbs import KEY, MODEL, QUESTION, URL


class Lamp(pydantic.BaseModel):
    colour: Literal["red", "green", "blue"]
    bright: bool


def client_with(mode=instructor.Mode.TOOLS, key=KEY):
    return instructor.from_openai(openai.OpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0), mode=mode)


class Objects:
    packages = ["instructor", "openai"]
    lacks = {
        **dict.fromkeys(("chat", "stream", "auto", "embed"), "instructor makes objects only"),
        "tools": "see structure, which it makes of a forced tool", "tools_stream": "see structure, which it makes of a forced tool",
        "cancel": "the package reads a whole stream before it returns a list of its parts",
    }

    def create(self, client=None, **more):
        return (client or client_with()).chat.completions.create(**{"model": MODEL, "response_model": Lamp, "messages": [{"role": "user", "content": QUESTION}], "max_tokens": verbs.OBJECT_TOKENS, "temperature": 0, "max_retries": 1, **more})

    def structure(self):
        for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
            lamp = self.create(client_with(mode))
            partial = list(self.create(client_with(mode), response_model=instructor.Partial[Lamp], stream=True))
            assert partial[-1].model_dump() == lamp.model_dump(), f"{mode}: {partial[-1]} is not {lamp}"
        return lamp.model_dump()

    def unknown_model(self):
        return self.create(model=verbs.UNKNOWN)

    def bad_request(self):
        return self.create(temperature=-7)

    def wrong_key(self):
        return self.create(client_with(key=verbs.WRONG_KEY))


if __name__ == "__main__":
    verbs.run(Objects())

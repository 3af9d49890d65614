"""The package `openai-agents`: `agents_sdk.py chat` or `responses`."""
import sys
import agents
import openai
import pydantic
import verbs
from typing import Literal
from verbs import KEY, MODEL, QUESTION, TOKENS, TOOL, TOOL_QUESTION, URL

MODE = sys.argv[1]
agents.set_tracing_disabled(True)
called = []


class Lamp(pydantic.BaseModel):
    colour: Literal["red", "green", "blue"]
    bright: bool


@agents.function_tool(name_override=TOOL, description_override=verbs.TOOL_TEXT)
def set_lamp(room: Literal["kitchen", "hall"], on: bool) -> str:
    called.append((TOOL, {"room": room, "on": on}))
    return "done"


def agent(model=MODEL, key=KEY, tokens=TOKENS, settings=None, **more):
    client = openai.AsyncOpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0)
    kind = agents.OpenAIChatCompletionsModel if MODE == "chat" else agents.OpenAIResponsesModel
    return agents.Agent(name="bench", model=kind(model=model, openai_client=client), model_settings=agents.ModelSettings(**{"temperature": 0, "max_tokens": tokens, **(settings or {})}), **more)


async def texts(result):
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            yield event.data.delta


class Run:
    packages = ["openai-agents", "openai"]
    lacks = {"embed": "agents do not embed"}

    async def run(self, **more):
        return (await agents.Runner.run(agent(**more), QUESTION)).final_output

    # In both modes by the model that ends: the package takes an answer that is cut at its limit for a failure of the responses interface.
    async def chat(self):
        return await self.run(model=verbs.ENDING)

    async def stream(self):
        return [text async for text in texts(agents.Runner.run_streamed(agent(verbs.ENDING), QUESTION))]

    def forced(self):
        called.clear()
        return agent(tokens=verbs.OBJECT_TOKENS, settings={"tool_choice": TOOL}, tools=[set_lamp], tool_use_behavior="stop_on_first_tool")

    async def tools(self):
        assert await agents.Runner.run(self.forced(), QUESTION)
        return called[0]

    async def tools_stream(self):
        result = agents.Runner.run_streamed(self.forced(), QUESTION)
        async for _ in result.stream_events():
            pass
        return called[0]

    async def auto(self, model):
        called.clear()
        await agents.Runner.run(agent(model, tokens=verbs.OBJECT_TOKENS, tools=[set_lamp]), TOOL_QUESTION, max_turns=5)
        return called

    async def structure(self):
        return (await self.run(output_type=Lamp, tokens=verbs.OBJECT_TOKENS)).model_dump()

    async def unknown_model(self):
        return await self.run(model=verbs.UNKNOWN)

    async def bad_request(self):
        return await self.run(settings={"temperature": -7})

    async def wrong_key(self):
        return await self.run(key=verbs.WRONG_KEY)

    async def cancel(self):
        result = agents.Runner.run_streamed(agent(MODEL, tokens=16_000), QUESTION)
        async for _ in texts(result):
            break
        result.cancel()


if __name__ == "__main__":
    verbs.run(Run())

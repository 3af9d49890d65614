"""The package `openai`: chat completions and embeddings."""
import json
import openai
import verbs
from verbs import FUNCTION, KEY, MODEL, QUESTION, SCHEMA, TEXTS, TOKENS, TOOL, TOOL_QUESTION, URL

client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
MESSAGES = [{"role": "user", "content": QUESTION}]
FORCED = {"model": MODEL, "temperature": 0, "max_tokens": verbs.OBJECT_TOKENS, "messages": MESSAGES, "tools": [FUNCTION], "tool_choice": {"type": "function", "function": {"name": TOOL}}}


class Chat:
    packages = ["openai"]
    lacks = {}

    def create(self, api=client, **more):
        return api.chat.completions.create(**{"model": MODEL, "messages": MESSAGES, "temperature": 0, "max_tokens": TOKENS, **more})

    def chat(self):
        return self.create().choices[0].message.content

    def stream(self):
        chunks = list(self.create(stream=True, stream_options={"include_usage": True}))
        assert chunks[-1].usage.completion_tokens > 0
        return [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]

    def tools(self):
        message = client.chat.completions.create(**FORCED).choices[0].message
        [call] = message.tool_calls
        result = {"role": "tool", "tool_call_id": call.id, "content": json.dumps({"done": True})}
        assert self.create(messages=[*MESSAGES, message, result], tools=[FUNCTION], tool_choice="none").choices[0].message.content
        return call.function.name, call.function.arguments

    def tools_stream(self):
        with client.chat.completions.stream(**FORCED) as stream:
            [call] = stream.get_final_completion().choices[0].message.tool_calls
        return call.function.name, call.function.arguments

    def auto(self, model):
        message = self.create(model=model, messages=[{"role": "user", "content": TOOL_QUESTION}], tools=[FUNCTION], max_tokens=verbs.OBJECT_TOKENS).choices[0].message
        return [(call.function.name, call.function.arguments) for call in message.tool_calls or []]

    def structure(self):
        form = {"type": "json_schema", "json_schema": {"name": "lamp", "strict": True, "schema": SCHEMA}}
        return self.create(response_format=form, max_tokens=verbs.OBJECT_TOKENS).choices[0].message.content

    def embed(self):
        return [one.embedding for one in client.embeddings.create(model=verbs.EMBEDDER, input=TEXTS).data]

    def unknown_model(self):
        return self.create(model=verbs.UNKNOWN)

    def bad_request(self):
        return self.create(messages=[])

    def wrong_key(self):
        return self.create(client.with_options(api_key=verbs.WRONG_KEY))

    def cancel(self):
        with self.create(model=MODEL, max_tokens=None, stream=True) as stream:
            next(iter(stream))


if __name__ == "__main__":
    verbs.run(Chat())

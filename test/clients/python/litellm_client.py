"""The package `litellm`, by OpenAI's interface or by Ollama's: `litellm_client.py openai` or `ollama_chat`."""
import json
import sys
import litellm
import verbs
from verbs import FUNCTION, KEY, MODEL, QUESTION, SCHEMA, TEXTS, TOKENS, TOOL, TOOL_QUESTION, URL

PROVIDER = sys.argv[1]
BASE = f"{URL}/v1" if PROVIDER == "openai" else URL
MESSAGES = [{"role": "user", "content": QUESTION}]
litellm.suppress_debug_info = True


class Completion:
    packages = ["litellm"]
    lacks = {} if PROVIDER == "openai" else dict.fromkeys(("tools", "tools_stream"), "drops tool_choice for Ollama")

    def create(self, model=MODEL, key=KEY, **more):
        return litellm.completion(**{"model": f"{PROVIDER}/{model}", "api_base": BASE, "api_key": key, "messages": MESSAGES, "temperature": 0, "max_tokens": TOKENS, "num_retries": 0, "max_retries": 0, **more})

    def chat(self):
        return self.create().choices[0].message.content

    def stream(self):
        return [chunk.choices[0].delta.content for chunk in self.create(stream=True) if chunk.choices and chunk.choices[0].delta.content]

    def forced(self, **more):
        return self.create(tools=[FUNCTION], tool_choice={"type": "function", "function": {"name": TOOL}}, max_tokens=verbs.OBJECT_TOKENS, **more)

    def tools(self):
        message = self.forced().choices[0].message
        [call] = message.tool_calls
        result = {"role": "tool", "tool_call_id": call.id, "content": json.dumps({"done": True})}
        assert self.create(messages=[*MESSAGES, message.model_dump(), result], tools=[FUNCTION]).choices
        return call.function.name, call.function.arguments

    def tools_stream(self):
        chunks = list(self.forced(stream=True))
        [call] = litellm.stream_chunk_builder(chunks, messages=MESSAGES).choices[0].message.tool_calls
        return call.function.name, call.function.arguments

    def auto(self, model):
        message = self.create(model=model, messages=[{"role": "user", "content": TOOL_QUESTION}], tools=[FUNCTION], max_tokens=verbs.OBJECT_TOKENS).choices[0].message
        return [(call.function.name, call.function.arguments) for call in message.tool_calls or []]

    def structure(self):
        form = {"type": "json_schema", "json_schema": {"name": "lamp", "strict": True, "schema": SCHEMA}}
        return self.create(response_format=form, max_tokens=verbs.OBJECT_TOKENS).choices[0].message.content

    def embed(self):
        provider = "openai" if PROVIDER == "openai" else "ollama"
        return [one["embedding"] for one in litellm.embedding(model=f"{provider}/{verbs.EMBEDDER}", api_base=BASE, api_key=KEY, input=TEXTS, encoding_format=None).data]

    def unknown_model(self):
        return self.create(model=verbs.UNKNOWN)

    def bad_request(self):
        return self.create(temperature=-7)

    def wrong_key(self):
        return self.create(key=verbs.WRONG_KEY)

    def cancel(self):
        stream = self.create(model=MODEL, max_tokens=16_000, stream=True)
        next(iter(stream))
        # The wrapper has no close of its own.
        inner = stream.completion_stream
        (getattr(inner, "close", None) or inner.response.close)()


if __name__ == "__main__":
    verbs.run(Completion())

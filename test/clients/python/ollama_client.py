"""The package `ollama`."""
import ollama
import verbs
from verbs import FUNCTION, KEY, MODEL, QUESTION, SCHEMA, TEXTS, TOKENS, TOOL_QUESTION, URL


def client_with(key):
    return ollama.Client(host=URL, headers={"authorization": f"Bearer {key}"})


client = client_with(KEY)
MESSAGES = [{"role": "user", "content": QUESTION}]


class Chat:
    packages = ["ollama"]
    lacks = dict.fromkeys(("tools", "tools_stream"), "the package has no tool_choice")

    def create(self, api=client, tokens=TOKENS, **more):
        return api.chat(**{"model": MODEL, "messages": MESSAGES, "options": {"temperature": 0, "num_predict": tokens}, **more})

    def chat(self):
        return self.create().message.content

    def stream(self):
        parts = list(self.create(stream=True))
        assert parts[-1].done and parts[-1].eval_count > 0
        return [part.message.content for part in parts if part.message.content]

    def auto(self, model):
        answer = self.create(model=model, tokens=verbs.OBJECT_TOKENS, messages=[{"role": "user", "content": TOOL_QUESTION}], tools=[FUNCTION])
        calls = answer.message.tool_calls or []
        if calls:
            result = {"role": "tool", "tool_name": calls[0].function.name, "content": "done"}
            assert self.create(model=model, messages=[*MESSAGES, answer.message, result], tools=[FUNCTION]).done
        return [(call.function.name, call.function.arguments) for call in calls]

    def structure(self):
        return self.create(format=SCHEMA, tokens=verbs.OBJECT_TOKENS).message.content

    def embed(self):
        return [list(vector) for vector in client.embed(model=verbs.EMBEDDER, input=TEXTS).embeddings]

    def unknown_model(self):
        return self.create(model=verbs.UNKNOWN)

    def bad_request(self):
        return self.create(format={"type": "no-such-type"})

    def wrong_key(self):
        return self.create(client_with(verbs.WRONG_KEY))

    def cancel(self):
        stream = self.create(model=MODEL, tokens=-1, stream=True)
        next(stream)
        stream.close()

if __name__ == "__main__":
    verbs.run(Chat())

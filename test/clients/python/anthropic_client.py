"""The package `anthropic`."""
import anthropic
import verbs
from verbs import KEY, MODEL, PARAMETERS, QUESTION, SCHEMA, TOKENS, TOOL, TOOL_QUESTION, TOOL_TEXT, URL

client = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
MESSAGES = [{"role": "user", "content": QUESTION}]
TOOLS = [{"name": TOOL, "description": TOOL_TEXT, "input_schema": PARAMETERS}]
FORCED = {"tools": TOOLS, "tool_choice": {"type": "tool", "name": TOOL}, "max_tokens": verbs.OBJECT_TOKENS}


def calls_of(message):
    return [block for block in message.content if block.type == "tool_use"]


class Messages:
    packages = ["anthropic"]
    lacks = {"embed": "not of this interface"}

    def create(self, api=client, **more):
        # Passed by hand, because the package of this version declares temperature for some models only.
        return api.messages.create(**{"model": MODEL, "messages": MESSAGES, "max_tokens": TOKENS, "extra_body": {"temperature": 0}, **more})

    def chat(self):
        return self.create().content[0].text

    def stream(self):
        with client.messages.stream(model=MODEL, messages=MESSAGES, max_tokens=TOKENS, extra_body={"temperature": 0}) as stream:
            return list(stream.text_stream)

    def tools(self):
        message = self.create(**FORCED)
        [call] = calls_of(message)
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "done"}]}
        assert self.create(messages=[*MESSAGES, {"role": "assistant", "content": message.content}, result], tools=TOOLS).content is not None
        return call.name, call.input

    def tools_stream(self):
        with client.messages.stream(model=MODEL, messages=MESSAGES, **FORCED) as stream:
            [call] = calls_of(stream.get_final_message())
        return call.name, call.input

    def auto(self, model):
        message = self.create(model=model, messages=[{"role": "user", "content": TOOL_QUESTION}], tools=TOOLS, max_tokens=verbs.OBJECT_TOKENS)
        return [(call.name, call.input) for call in calls_of(message)]

    def structure(self):
        return self.create(output_config={"format": {"type": "json_schema", "schema": SCHEMA}}, max_tokens=verbs.OBJECT_TOKENS).content[0].text

    def unknown_model(self):
        return self.create(model=verbs.UNKNOWN)

    def bad_request(self):
        return self.create(messages=[])

    def wrong_key(self):
        return self.create(client.with_options(api_key=verbs.WRONG_KEY))

    def cancel(self):
        with self.create(model=MODEL, max_tokens=16_000, stream=True) as stream:
            for event in stream:
                if event.type == "content_block_delta":
                    break


if __name__ == "__main__":
    verbs.run(Messages())

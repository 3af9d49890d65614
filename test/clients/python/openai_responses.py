"""The package `openai`: the responses interface."""
import openai
import verbs
from verbs import KEY, MODEL, PARAMETERS, QUESTION, SCHEMA, TOKENS, TOOL, TOOL_QUESTION, TOOL_TEXT, URL

client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
TOOLS = [{"type": "function", "name": TOOL, "description": TOOL_TEXT, "parameters": PARAMETERS, "strict": True}]


class Responses:
    packages = ["openai"]
    lacks = {"embed": "not of this interface"}

    def create(self, api=client, **more):
        return api.responses.create(**{"model": MODEL, "input": QUESTION, "temperature": 0, "max_output_tokens": TOKENS, **more})

    def chat(self):
        return self.create().output_text

    def stream(self):
        return [event.delta for event in self.create(stream=True) if event.type == "response.output_text.delta"]

    def forced(self, **more):
        return {"tools": TOOLS, "tool_choice": {"type": "function", "name": TOOL}, "max_output_tokens": verbs.OBJECT_TOKENS, **more}

    def tools(self):
        first = self.create(**self.forced())
        [call] = [item for item in first.output if item.type == "function_call"]
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "done"}
        assert self.create(previous_response_id=first.id, input=[result], tools=TOOLS, tool_choice="none").output_text
        return call.name, call.arguments

    def tools_stream(self):
        with client.responses.stream(model=MODEL, input=QUESTION, **self.forced()) as stream:
            [call] = [item for item in stream.get_final_response().output if item.type == "function_call"]
        return call.name, call.arguments

    def auto(self, model):
        response = self.create(model=model, input=TOOL_QUESTION, tools=TOOLS, max_output_tokens=verbs.OBJECT_TOKENS)
        return [(item.name, item.arguments) for item in response.output if item.type == "function_call"]

    def structure(self):
        form = {"format": {"type": "json_schema", "name": "lamp", "strict": True, "schema": SCHEMA}}
        return self.create(text=form, max_output_tokens=verbs.OBJECT_TOKENS).output_text

    def unknown_model(self):
        return self.create(model=verbs.UNKNOWN)

    def bad_request(self):
        return self.create(max_output_tokens=-7)

    def wrong_key(self):
        return self.create(client.with_options(api_key=verbs.WRONG_KEY))

    def cancel(self):
        with self.create(model=MODEL, max_output_tokens=None, stream=True) as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    break


if __name__ == "__main__":
    verbs.run(Responses())

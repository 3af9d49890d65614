"""The package `pydantic-ai-slim`, by OpenAI's chat interface, its class for Ollama, or Anthropic's interface: `pydantic_ai_agent.py openai`, `ollama` or `anthropic`."""
import sys
import pydantic
import verbs
from typing import Literal
from pydantic_ai import Agent, Tool, UnexpectedModelBehavior
from pydantic_ai.settings import ModelSettings
from verbs import KEY, MODEL, QUESTION, TOKENS, TOOL, TOOL_QUESTION, URL

KIND = sys.argv[1]
called = []


class Lamp(pydantic.BaseModel):
    colour: Literal["red", "green", "blue"]
    bright: bool


def set_lamp(room: Literal["kitchen", "hall"], on: bool) -> str:
    called.append((TOOL, {"room": room, "on": on}))
    return "done"


def model_of(name, key):
    if KIND == "anthropic":
        import anthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=anthropic.AsyncAnthropic(base_url=URL, api_key=key, max_retries=0)))
    import openai
    client = openai.AsyncOpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0)
    if KIND == "ollama":
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider
        return OllamaModel(name, provider=OllamaProvider(openai_client=client))
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def agent(model=MODEL, key=KEY, tokens=TOKENS, temperature=0, **more):
    return Agent(model_of(model, key), model_settings=ModelSettings(temperature=temperature, max_tokens=tokens), retries=0, **more)


class Run:
    packages = ["pydantic-ai-slim"]
    lacks = {"embed": "agents do not embed"}

    async def run(self, **more):
        return (await agent(**more).run(QUESTION)).output

    async def chat(self):
        return await self.run()

    async def stream(self):
        async with agent().run_stream(QUESTION) as result:
            return [text async for text in result.stream_text(delta=True, debounce_by=None)]

    def forced(self):
        called.clear()
        # An agent whose output is an object must call a tool; with one tool of two, the model's dice decide, so the output is the tool.
        return agent(tokens=verbs.OBJECT_TOKENS, output_type=set_lamp)

    async def tools(self):
        await self.forced().run(QUESTION)
        return called[0]

    async def tools_stream(self):
        async with self.forced().run_stream(QUESTION) as result:
            await result.get_output()
        return called[0]

    async def auto(self, model):
        called.clear()
        try:
            await agent(model, tokens=verbs.OBJECT_TOKENS, tools=[Tool(set_lamp, name=TOOL, description=verbs.TOOL_TEXT)]).run(TOOL_QUESTION)
        except UnexpectedModelBehavior:
            # The loop goes on after the call, and what so small a model does then is not judged.
            if not called:
                raise
        return called

    async def structure(self):
        from pydantic_ai import NativeOutput
        # For models that it does not know, the package makes an object of a tool for Anthropic.
        return (await self.run(output_type=Lamp if KIND == "anthropic" else NativeOutput(Lamp), tokens=verbs.OBJECT_TOKENS)).model_dump()

    async def unknown_model(self):
        return await self.run(model=verbs.UNKNOWN)

    async def bad_request(self):
        return await self.run(temperature=-7)

    async def wrong_key(self):
        return await self.run(key=verbs.WRONG_KEY)

    async def cancel(self):
        async with agent(MODEL, tokens=16_000).run_stream(QUESTION) as result:
            async for _ in result.stream_text(delta=True, debounce_by=None):
                break


if __name__ == "__main__":
    verbs.run(Run())

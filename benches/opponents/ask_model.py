"""Asks a model server for samples of HumanEval, as scripts for evaluation do: 64 requests in flight, a chat of one
message each, one line of JSON per sample.

usage: python3 ask_model.py aiohttp|openai URL HumanEval.jsonl.gz SAMPLES OUT.jsonl
"""
import asyncio
import gzip
import json
import sys

IN_FLIGHT = 64


def body(problem, sample):
    prompt = problem["prompt"]
    text = "Complete the following Python code. Reply with the whole program, including the given part, in one " \
           "fenced code block.\n\n```python\n" + prompt.strip("\n") + "\n```\n"
    return {
        "model": "stored",
        "messages": [{"role": "user", "content": text}],
        "max_tokens": 1024,
        "temperature": 0.2,
        "top_p": 0.95,
        "seed": sample,
    }


async def aiohttp_asker(url):
    import aiohttp

    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    session = aiohttp.ClientSession(connector=connector)

    async def ask(request):
        async with session.post(url + "/v1/chat/completions", json=request) as response:
            response.raise_for_status()
            reply = await response.json()
        return reply["choices"][0]["message"]["content"]

    return ask, session.close


async def openai_asker(url):
    import openai

    client = openai.AsyncOpenAI(base_url=url + "/v1", api_key="none")

    async def ask(request):
        reply = await client.chat.completions.create(**request)
        return reply.choices[0].message.content

    return ask, client.close


async def main():
    client, url, problems, samples, out = sys.argv[1:]
    ask, close = await {"aiohttp": aiohttp_asker, "openai": openai_asker}[client](url)
    with gzip.open(problems, "rt") as lines:
        problems = [json.loads(line) for line in lines]
    work = ((problem, sample) for problem in problems for sample in range(int(samples)))
    with open(out, "w") as file:

        async def worker():
            for problem, sample in work:
                text = await ask(body(problem, sample))
                line = {"task_id": problem["task_id"], "sample": sample, "solution": text}
                file.write(json.dumps(line) + "\n")

        await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    await close()


if __name__ == "__main__":
    asyncio.run(main())

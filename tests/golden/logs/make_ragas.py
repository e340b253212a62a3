"""Results of ragas with a local stand-in for a judge, as its documentation saves them.

    pip install ragas==0.4.3 "langchain-community<0.4"
    python make_ragas.py .
"""

import json, os, sys
os.environ["RAGAS_DO_NOT_TRACK"] = "true"
OUT = sys.argv[1]
from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.metrics import AspectCritic, RubricsScore
from ragas.llms.base import BaseRagasLLM
from langchain_core.outputs import LLMResult, Generation
from ragas.run_config import RunConfig

class Local(BaseRagasLLM):
    def generate_text(self, prompt, n=1, temperature=0.01, stop=None, callbacks=None):
        text = prompt.to_string()
        if "Broken" in text: raise ValueError("no answer")
        if '"score"' in text or "score_" in text:
            answer = {"feedback": "by length", "score": len(text) % 5 + 1}
        else:
            answer = {"reason": "by length", "verdict": len(text) % 2}
        return LLMResult(generations=[[Generation(text=json.dumps(answer), generation_info={"finish_reason": "stop"})] * n])
    async def agenerate_text(self, prompt, n=1, temperature=0.01, stop=None, callbacks=None):
        return self.generate_text(prompt, n, temperature, stop, callbacks)
    def is_finished(self, response): return True

llm = Local(run_config=RunConfig(max_retries=1, max_wait=1))
data = EvaluationDataset([SingleTurnSample(user_input=f"Question {i}", response=o, reference="4") for i, o in enumerate(["4", "about,\n4", "Broken", "five"])])
metrics = [AspectCritic(name="helpful", definition="Is it helpful?", llm=llm),
           RubricsScore(name="quality", llm=llm)]
r = evaluate(data, metrics, llm=llm, show_progress=False, run_config=RunConfig(max_retries=1, max_wait=1, timeout=20))
frame = r.to_pandas()
print(frame)
frame.to_csv(os.path.join(OUT, "ragas.csv"), index=False)
frame.to_json(os.path.join(OUT, "ragas.jsonl"), orient="records", lines=True)

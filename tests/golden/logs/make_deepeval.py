"""Results of deepeval: GEval with a local stand-in for a judge, saved as `evaluate` saves them.

    pip install deepeval==4.3.1
    python make_deepeval.py .      # writes test_run_TIME.json, here deepeval.json
"""

import json, os, sys, tempfile
OUT = os.path.abspath(sys.argv[1])
os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="YES", DEEPEVAL_RESULTS_FOLDER=OUT, CONFIDENT_OPEN_BROWSER="NO")
os.chdir(tempfile.mkdtemp())
from deepeval import evaluate
from deepeval.metrics import GEval, ExactMatchMetric
from deepeval.models import DeepEvalBaseLLM
try:
    from deepeval.test_case import LLMTestCase, LLMTestCaseParams as P
except ImportError:
    from deepeval.test_case import LLMTestCase, SingleTurnParams as P
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig, CacheConfig, ErrorConfig

class Local(DeepEvalBaseLLM):
    def __init__(self): pass
    def load_model(self): return self
    def get_model_name(self): return "local-judge"
    def generate(self, prompt, schema=None):
        if "Broken" in prompt: raise ValueError("no answer")
        data = {"score": len(prompt) % 11, "reason": "by length", "steps": ["look"]}
        if schema: return schema(**{k: v for k, v in data.items() if k in schema.model_fields})
        return json.dumps(data)
    async def a_generate(self, prompt, schema=None): return self.generate(prompt, schema)

cases = [LLMTestCase(input=f"Question {i}", actual_output=o, expected_output="4", name=f"case-{i}") for i, o in enumerate(["4", "about 4", "Broken", "five"])]
judge = Local()
metrics = [GEval(name="Helpful", criteria="Is it helpful?", evaluation_steps=["look"], evaluation_params=[P.INPUT, P.ACTUAL_OUTPUT], model=judge, async_mode=False),
           GEval(name="Polite", criteria="Is it polite?", evaluation_steps=["look"], evaluation_params=[P.ACTUAL_OUTPUT], model=judge, async_mode=False)]
r = evaluate(cases, metrics, async_config=AsyncConfig(run_async=False), display_config=DisplayConfig(show_indicator=False, print_results=False), cache_config=CacheConfig(write_cache=False), error_config=ErrorConfig(ignore_errors=True))
print(r.test_results[0] if r else None)

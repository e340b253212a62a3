"""Results of MLflow's evaluation with local stand-ins for judges, as its documentation saves them: the table of
`mlflow.models.evaluate` and `result_df` of `mlflow.genai.evaluate`.

    pip install mlflow==3.17.2
    python make_mlflow.py .
"""

import os
import sys
import tempfile

OUT = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp()
os.chdir(work)
os.environ.update(MLFLOW_TRACKING_URI=f"sqlite:///{work}/mlflow.db", MLFLOW_DISABLE_TELEMETRY="true", DO_NOT_TRACK="true")
import mlflow
import pandas as pd
from mlflow.entities import Feedback
from mlflow.genai.scorers import scorer

CASES = [("Where is my parcel?", "It arrives on Monday.", "On Monday."), ("Refund me!", "No.", "Yes."),
         ("Where is it?", "Ask \"somebody\",\nelse.", "On Monday."), ("Thanks", "You are welcome.", "You are welcome.")]


@scorer
def helpful(inputs, outputs):
    if "Refund" in inputs["question"]:
        raise ValueError("the judge gave no answer")
    return Feedback(value=float(len(outputs) % 5 + 1), rationale="by length")


@scorer
def polite(outputs):
    return "yes" if "welcome" in outputs or "Monday" in outputs else "no"


mlflow.set_experiment("judged")
data = [{"inputs": {"question": q}, "outputs": a, "expectations": {"expected_response": e}} for q, a, e in CASES]
frame = mlflow.genai.evaluate(data=data, scorers=[helpful, polite]).result_df
# What holds paths of this machine is left out.
frame = frame.drop(columns=["trace", "trace_metadata", "tags", "spans", "assessments"])
frame.to_csv(os.path.join(OUT, "mlflow-genai.csv"), index=False)
frame.to_json(os.path.join(OUT, "mlflow-genai.jsonl"), orient="records", lines=True, default_handler=str)

from mlflow.metrics import MetricValue, make_metric
from mlflow.models import make_metric as make


def score(predictions, targets=None, metrics=None):
    return MetricValue(scores=[float(len(p) % 5 + 1) for p in predictions], justifications=["by length"] * len(predictions))


table = pd.DataFrame([{"inputs": q, "predictions": a, "targets": e} for q, a, e in CASES])
with mlflow.start_run():
    result = mlflow.models.evaluate(data=table, predictions="predictions", targets="targets",
                                    extra_metrics=[make(eval_fn=score, greater_is_better=True, name="helpfulness", version="v1")])
frame = result.tables["eval_results_table"]
frame.to_csv(os.path.join(OUT, "mlflow-models.csv"), index=False)
# As the run keeps it: pandas' layout "split".
frame.to_json(os.path.join(OUT, "mlflow-eval_results_table.json"), orient="split", index=False)

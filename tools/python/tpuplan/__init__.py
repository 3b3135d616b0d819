"""Which TPU slice should run this model, will it fit, how long will it take, and what will it cost?

    import tpuplan
    answer = tpuplan.plan("config.json", tokens=1e12, deadline_s=30 * 86400)
    print(answer.plans[0].slice, answer.plans[0].total_usd)

Amounts are in SI units, and the unit is in the name: `step_time_s`, `used_bytes`, `total_usd`. docs/python.md."""

from .errors import Error
from .library import ask, ask_many, ask_text, schema, version as __version__
from .questions import *  # noqa: F403
from .questions import QUESTIONS

__all__ = ["Error", "ask", "ask_many", "ask_text", "schema"] + [one.__name__ for one in QUESTIONS]

#!/usr/bin/env bash
# install.sh PYTHON SOURCE_DIR WORK_DIR: pip installs tools/python without network, as docs/python.md says, and the tests
# run on what it installed.
set -euo pipefail
python=$1 source_dir=$2 work=$3
rm -rf "$work" && mkdir -p "$work/tree/tools"
# A copy, as pip leaves files of its build in the tree.
cp -r "$source_dir"/{include,data,docs,README.md,tests} "$work/tree/"
cp -r "$source_dir"/tools/{capi,python} "$work/tree/tools/"
cd "$work"
"$python" -m venv --system-site-packages environment
env -u PYTHONPATH -u TPUPLAN_LIBRARY PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 CXXFLAGS=-O1 \
  environment/bin/pip install --no-build-isolation ./tree/tools/python
cd "$work" && rm -rf tree/tools/python/tpuplan
env -u PYTHONPATH -u TPUPLAN_LIBRARY environment/bin/python -c '
import pathlib, tpuplan
assert "environment" in pathlib.Path(tpuplan.__file__).parts, tpuplan.__file__
assert tpuplan.batch("v5e").critical_batch == 241
assert tpuplan.model("tree/data/models/llama-3.1-8b.json").parameters == 8030261248
print("installed", tpuplan.__version__)'

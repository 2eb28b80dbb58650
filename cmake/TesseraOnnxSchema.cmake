# Compiles ONNX's own schema. It comes from the system's package or the Python onnx package, so that
# the project carries no copy of it.

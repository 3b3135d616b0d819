"""What is wrong with a question."""


class Error(ValueError):
    """A refusal: `code` such as "unknown_name", the `field` that is refused, its `value`, and what is `valid`."""

    def __init__(self, code, field, value, valid, message):
        super().__init__(message.removeprefix("tpuplan: "))
        self.code, self.field, self.value, self.valid = code, field, value, valid

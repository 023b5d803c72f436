"""A small independent reader of pprof profile.proto, so that tests need not trust the program's
own.
"""

import dataclasses
import gzip


@dataclasses.dataclass
class Sample:
    stack: tuple  # function names, leaf first; an unnamed frame is module+0xaddress
    modules: tuple  # file names of their mappings
    values: tuple
    labels: dict  # key -> text or number


@dataclasses.dataclass
class Profile:
    types: list  # (type, unit)
    samples: list
    comments: list
    period: int

    def column(self, name):
        return [kind for kind, _ in self.types].index(name)

    def total(self, name):
        column = self.column(name)
        return sum(sample.values[column] for sample in self.samples)


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data):
    """(field number, value) of one message; a value is an int or bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
            assert len(value) == size, "a field runs past the end"
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = int.from_bytes(data[at : at + size], "little"), at + size
        else:
            raise AssertionError(f"wire type {kind}")
        yield tag >> 3, value


def _message(data):
    """{field number: [values]}"""
    message = {}
    for number, value in _fields(data):
        message.setdefault(number, []).append(value)
    return message


def _one(message, number, default=0):
    return message.get(number, [default])[-1]


def _numbers(message, number):
    """A repeated integer field, packed or not."""
    numbers = []
    for value in message.get(number, []):
        if isinstance(value, int):
            numbers.append(value)
            continue
        at = 0
        while at < len(value):
            item, at = _varint(value, at)
            numbers.append(item)
    return numbers


def _signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def read(path):
    message = _message(gzip.decompress(path.read_bytes()))
    strings = [text.decode("utf-8") for text in message[6]]
    modules = {_one(m, 1): strings[_one(m, 5)] for m in map(_message, message.get(3, []))}
    functions = {_one(f, 1): strings[_one(f, 2)] for f in map(_message, message.get(5, []))}
    frames = {
        _one(where, 1): _frames(where, functions, modules)
        for where in map(_message, message.get(4, []))
    }
    samples = []
    for item in map(_message, message.get(2, [])):
        stack = [frame for place in _numbers(item, 1) for frame in frames[place]]
        labels = {}
        for label in map(_message, item.get(3, [])):
            text = _one(label, 2)
            labels[strings[_one(label, 1)]] = strings[text] if text else _signed(_one(label, 3))
        names, files = tuple(name for name, _ in stack), tuple(file for _, file in stack)
        values = tuple(_signed(value) for value in _numbers(item, 2))
        samples.append(Sample(names, files, values, labels))
    types = [(strings[_one(t, 1)], strings[_one(t, 2)]) for t in map(_message, message.get(1, []))]
    return Profile(types, samples, [strings[i] for i in _numbers(message, 13)], _one(message, 12))


def _frames(location, functions, modules):
    """(name, module) of each function at a place, innermost first."""
    module = modules.get(_one(location, 2), "")
    lines = [_one(line, 1) for line in map(_message, location.get(4, []))]
    named = [(functions[function], module) for function in lines if function]
    return named or [(f"{module}+{_one(location, 3):#x}", module)]

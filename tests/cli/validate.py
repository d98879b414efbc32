"""Holds JSON against JSON Schemas (draft 2020-12, or the draft that a schema names): validate.py SCHEMAS RESULTS

Every file of RESULTS/NAME/ is held against SCHEMAS/NAME.schema.json; of NAME-line and of *.jsonl, each line. Prints what is
wrong, and each member of a schema that no result has; the exit status says whether there was any."""
import json
import pathlib
import sys

import jsonschema

# Members whose presence depends on the machine's model, on origins (tests of the room config try them) or on a GPU.
NOT_COUNTED = ("/machine/", "config/values/", "measured-line/")


def members(schema, place):
    """The places of all members that an object of the schema may have."""
    found = set()
    for part in schema.get("oneOf", []) + schema.get("anyOf", []):
        found |= members(part, place)
    for name, inner in schema.get("properties", {}).items():
        found |= {f"{place}/{name}"} | members(inner, f"{place}/{name}")
    for rest in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(rest, dict):
            found |= members(rest, place + "/*")
    return found


def seen(schema, value, place):
    """The places of the members that the value has."""
    found = set()
    for part in schema.get("oneOf", []) + schema.get("anyOf", []):
        if jsonschema.Draft202012Validator(part).is_valid(value):
            found |= seen(part, value, place)
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in schema.get("properties", {}):
                found |= {f"{place}/{name}"} | seen(schema["properties"][name], inner, f"{place}/{name}")
            elif isinstance(schema.get("additionalProperties"), dict):
                found |= seen(schema["additionalProperties"], inner, place + "/*")
    elif isinstance(value, list) and "items" in schema:
        for inner in value:
            found |= seen(schema["items"], inner, place + "/*")
    return found


def values(folder):
    for file in sorted(folder.iterdir()):
        text = file.read_text()
        by_line = folder.name.endswith("-line") or file.suffix == ".jsonl"
        for number, line in enumerate(text.splitlines() if by_line else [text], 1):
            yield f"{folder.name}/{file.name}:{number}", line


def main(schemas, results):
    complaints = []
    for folder in sorted(pathlib.Path(results).iterdir()):
        schema = json.loads((pathlib.Path(schemas) / f"{folder.name}.schema.json").read_text())
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        found = set()
        for name, text in values(folder):
            try:
                value = json.loads(text)
            except ValueError as error:
                complaints.append(f"{name}: no JSON: {error}")
                continue
            for error in validator(schema).iter_errors(value):
                complaints.append(f"{name}: {error.json_path}: {error.message[:300]}")
            found |= seen(schema, value, folder.name)
        for place in sorted(members(schema, folder.name) - found):
            if not any(part in place for part in NOT_COUNTED):
                complaints.append(f"{place}: no result has it")
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Views a file in the open editor, replaces a text in it, and prints the verified answer. Python 3.9; Linux and macOS.

Usage: python3 client.py FILE OLD NEW
"""
import json, os, pathlib, socket, sys


def connect(here):
    """Connects to an editor in which this folder is open. Returns its stream, and the token."""
    folder = pathlib.Path.home() / ".local/state/patchls/editors"
    for file in folder.glob("*.json"):
        for of in folder, file:  # whoever else could write it would get the token
            if of.is_symlink() or of.stat().st_uid != os.getuid() or of.stat().st_mode & 0o077:
                sys.exit(f"{of} is open to other users")
        editor = json.loads(file.read_text())
        if any(here.is_relative_to(pathlib.Path(root).resolve()) for root in editor["roots"]):
            connection = socket.socket(socket.AF_UNIX)
            if connection.connect_ex(editor["socket"]) == 0:  # otherwise the editor has ended
                return connection.makefile("rwb"), editor["token"]
    sys.exit("No editor has this folder open: patchls doctor says why.")


def request(method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()
    answer = {}
    while "id" not in answer:  # without one it is a notification
        head = dict(line.split(b": ") for line in iter(lambda: stream.readline().strip(), b""))
        if not head:
            sys.exit("The editor has ended: view the file before you send an edit again.")
        answer = json.loads(stream.read(int(head[b"Content-Length"])))
    if "error" in answer:  # results.md says what to do after each kind
        sys.exit(f"{answer['error'].get('data', {}).get('kind', 'refused')}: {answer['error']['message']}")
    return answer["result"]


def execute(command, **arguments):
    return request("workspace/executeCommand", {"command": "patchls." + command, "arguments": [arguments]})


if len(sys.argv) != 4:
    sys.exit(__doc__)
file, old, new = sys.argv[1:]
stream, token = connect(pathlib.Path.cwd())
request("initialize", {"clientInfo": {"name": "my-agent"}, "initializationOptions": {"token": token, "root": os.getcwd()}, "capabilities": {}})
print(execute("view", path=file)["text"])
edit = execute("str_replace", path=file, old_str=old, new_str=new)
print(edit["message"], str(edit["verified"]).lower())

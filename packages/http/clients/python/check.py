"""Lets the cases check ids_http.py: a line of JSON on stdin says what to do, a line on stdout what came of it.

npx @ids/http check-client -- python3 check.py
"""

import json
import sys
import time

from ids_http import IdsClient, IdsError


def reply_to(client: IdsClient, message: dict) -> dict:
    if "next" in message:
        return {"ids": client.next_batch(message["next"], message["count"], message.get("key"))}
    if "issue" in message:
        results = client.issue(message["issue"])
        return {"results": [{"error": r.code} if isinstance(r, IdsError) else {"ids": r} for r in results]}
    if "lease" in message:
        lease = client.lease(message["lease"], message["size"])
        expired = lease.expires_at <= time.monotonic()
        return {"expired": True} if expired else {"low": lease.low, "high": lease.high}
    return {"unsupported": True}


for line in sys.stdin:
    message = json.loads(line)
    if "open" in message:
        client = IdsClient(message["open"], message.get("token"), message["deadlineMs"] / 1000)
        reply = {}
    else:
        try:
            reply = reply_to(client, message)
        except IdsError as error:
            reply = {"error": error.code}
    print(json.dumps(reply), flush=True)

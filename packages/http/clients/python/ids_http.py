"""IDs from a server of @ids/server, with nothing but the standard library (Python 3.9 or later).

    ids = IdsClient("https://ids.example.com", token=os.environ["IDS_TOKEN"])
    ids.next("order")                       # "1"
    ids.next_batch("order", 3)              # ["2", "3", "4"]
    ids.next_batch("message", 2, key="a")   # of a keyed generator
    lease = ids.lease("order", 100)         # a range, of which this process issues from memory

IDs are strings, which int() reads exactly where they are numbers. Every failure is an IdsError with a `code`.
A request that fails may have taken IDs: they are a gap, and the next call asks for others. Nothing is sent
twice here. One client may be used by several threads.
"""

from __future__ import annotations

import http.client
import json
import math
import secrets
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

# The longest pause that a server, or a proxy before it, can ask for, in seconds.
LONGEST_PAUSE = 60

# The codes that a server may send. What is unknown is judged by its status.
CODES = frozenset(
    "ERR_IDS_" + name
    for name in "NOT_READY UNAVAILABLE TIMEOUT CLOCK CONFIG UNMET EXHAUSTED REGRESSED REALM".split()
)


class IdsError(Exception):
    """No IDs. `code` is stable; the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Lease:
    """The range from `low` to `high`, inclusive, of this client alone: use each number once."""

    low: int
    high: int
    #: The reading of time.monotonic() from which on none of them may be issued any more.
    expires_at: float = math.inf


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token must not reach another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class IdsClient:
    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 5.0) -> None:
        """`timeout`: how long a call may wait for the server to connect or to go on, in seconds."""
        self._url = url.rstrip("/") + "/v1"
        self._headers = {"content-type": "application/json"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"
        self._timeout = timeout
        self._open = urllib.request.build_opener(_NoRedirects).open
        self._realms: dict[str, Optional[str]] = {}
        self._lock = threading.Lock()
        self._paused_until = -math.inf

    def next(self, generator: str, key: Optional[str] = None) -> str:
        return self.next_batch(generator, 1, key)[0]

    def next_batch(self, generator: str, count: int, key: Optional[str] = None) -> list[str]:
        """`count` IDs in the order of issue; with a `key` for a keyed generator."""
        call = {"generator": generator, "count": count, **({} if key is None else {"key": key})}
        [result] = self.issue([call])
        if isinstance(result, IdsError):
            raise result
        return result

    def issue(self, calls: Sequence[dict[str, Any]]) -> list[Union[list[str], IdsError]]:
        """The IDs of many calls in one request, or why one of them got none; raises if all of them fail."""
        answer = self._post("/ids", {"calls": calls})
        results = answer.get("results")
        if not isinstance(results, list) or len(results) != len(calls):
            raise IdsError("ERR_IDS_UNAVAILABLE", "the answer does not have a result for each call")
        return [self._ids_of(call, result) for call, result in zip(calls, results)]

    def lease(self, generator: str, size: int) -> Lease:
        sent_at = time.monotonic()
        answer = self._post("/leases", {"generator": generator, "size": size})
        self._accept_realm(generator, answer)
        low, high = answer.get("low"), answer.get("high")
        if type(low) is not int or type(high) is not int or low < 1 or high - low + 1 != size:
            raise IdsError("ERR_IDS_UNAVAILABLE", f"the answer has the range {low}..{high} for {size} IDs")
        # Counted from before the request, so that IDs expire early rather than late.
        return Lease(low, high, sent_at + answer.get("expiresInMs", math.inf) / 1000)

    def _ids_of(self, call: dict[str, Any], result: dict[str, Any]) -> Union[list[str], IdsError]:
        if "problem" in result:
            return _refusal(result["problem"].get("status", 500), result["problem"])
        self._accept_realm(call["generator"], result)
        ids = result.get("ids")
        if isinstance(ids, list) and len(ids) == call.get("count", 1) and all(type(i) is str for i in ids):
            return ids
        raise IdsError("ERR_IDS_UNAVAILABLE", "the answer does not have the IDs that were asked for")

    def _accept_realm(self, generator: str, answer: dict[str, Any]) -> None:
        """Two servers behind one address may use two databases, which issue the same IDs: stay with the first."""
        realm = answer.get("realm", "")
        with self._lock:
            known = self._realms.setdefault(generator, realm) if realm != "" else ""
        if realm == "" or realm != known:
            raise IdsError("ERR_IDS_REALM", f"{generator}: an answer of another store ({realm}, not {known})")

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if time.monotonic() < self._paused_until:
            raise IdsError("ERR_IDS_UNAVAILABLE", "the server asked for a pause, which is not over")
        nonce = secrets.token_hex(16)
        body = {**body, "nonce": nonce, "timeoutMs": math.ceil(self._timeout * 1000)}
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), self._headers)
        status, answer = self._send(request)
        if status != 200 or not isinstance(answer, dict):
            raise _refusal(status, answer)
        if answer.get("nonce") != nonce:
            raise IdsError("ERR_IDS_UNAVAILABLE", "something has kept the answer to another request")
        return answer

    def _send(self, request: urllib.request.Request) -> tuple[int, Any]:
        try:
            try:
                with self._open(request, timeout=self._timeout) as response:
                    status, text = response.status, response.read()
            except urllib.error.HTTPError as refused:
                with refused:
                    status, text = refused.code, refused.read()
                    seconds = refused.headers.get("retry-after", "")
                pause = min(LONGEST_PAUSE, int(seconds)) if seconds.isdecimal() else 0
                self._paused_until = max(self._paused_until, time.monotonic() + pause)
        except (OSError, http.client.HTTPException) as error:
            late = isinstance(getattr(error, "reason", error), TimeoutError)
            raise IdsError("ERR_IDS_TIMEOUT" if late else "ERR_IDS_UNAVAILABLE", repr(error)) from error
        try:
            return status, json.loads(text)
        except ValueError:
            return status, None


def _refusal(status: int, problem: Any) -> IdsError:
    code = problem.get("code") if isinstance(problem, dict) else None
    if code in CODES:
        return IdsError(code, f"the server answered {status}: {problem.get('detail')}")
    passing = status == 429 or status >= 500
    return IdsError("ERR_IDS_UNAVAILABLE" if passing else "ERR_IDS_CONFIG", f"the server answered {status}")

#!/usr/bin/env python3
"""assertions.py PYTHON ASSERTER: google-auth verifies random assertions that the plugin signs, and makes the same.

PYTHON is the interpreter that has google-auth and cryptography. Without them the exit status is 77, or 1 with CI=true.
ASSERTER is the program built from asserter.cpp. The seed is printed; SEED=n repeats a run, with other keys.
"""
import json
import os
import random
import subprocess
import sys
import time

ASSERTIONS = 60
WORDS = ["a", "web", "ä", "日本", "x y", "100%", "a/b", "a+b", "\"", "\\", "\n", "\x01", "</script>", "😀"]


def any_text(rng):
    return "".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 6)))


def any_keys():
    """Private keys in both PEM forms, and their public keys."""
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric import rsa
    for bits, form in [(2048, forms.PrivateFormat.PKCS8), (2048, forms.PrivateFormat.TraditionalOpenSSL),
                       (3072, forms.PrivateFormat.PKCS8), (1024, forms.PrivateFormat.PKCS8)]:
        key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
        yield (key.private_bytes(forms.Encoding.PEM, form, forms.NoEncryption()).decode(),
               key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo).decode())


def any_case(rng, keys):
    private, public = rng.choice(keys)
    return {"issuer": any_text(rng) + "@shop.iam.gserviceaccount.com", "scopes": " ".join(["s1", any_text(rng)]),
            "audience": "https://oauth2.googleapis.com/token", "key_id": rng.choice(["", "k1", any_text(rng)]),
            "at": str(int(time.time()) - rng.randrange(1, 3000)), "private_key": private, "public_key": public}


def claims_by_google_auth(case):
    """The header and claims of google-auth's assertion for the same account, at the current time."""
    from google.auth import crypt, jwt
    from google.oauth2 import service_account
    signer = crypt.RSASigner.from_string(case["private_key"], case["key_id"] or None)
    account = service_account.Credentials(signer, case["issuer"], case["audience"], scopes=case["scopes"].split(" "))
    token = account._make_authorization_grant_assertion()
    return jwt.decode_header(token), jwt.decode(token, case["public_key"])


def verify(asserter):
    from google.auth import jwt
    seed = int(os.environ.get("SEED") or random.randrange(1 << 32))
    print(f"seed {seed}")
    rng = random.Random(seed)
    keys = list(any_keys())
    cases = [any_case(rng, keys) for _ in range(ASSERTIONS)]
    told = subprocess.run([asserter], input="\n".join(map(json.dumps, cases)) + "\n", capture_output=True, text=True,
                          check=True).stdout.splitlines()
    assert len(told) == len(cases), f"{len(told)} answers to {len(cases)} assertions"
    for case, token in zip(cases, told):
        header, claims = jwt.decode_header(token), jwt.decode(token, case["public_key"], audience=case["audience"])
        header_of_theirs, claims_of_theirs = claims_by_google_auth(case)
        assert header == header_of_theirs, f"{header} instead of {header_of_theirs}"
        at = int(case["at"])
        expected = {**claims_of_theirs, "iat": at, "exp": at + claims_of_theirs["exp"] - claims_of_theirs["iat"]}
        assert claims == expected, f"{claims} instead of {expected}"
    print(f"{len(cases)} assertions are verified, and are those of google-auth")


def main():
    python, asserter = sys.argv[1:]
    if os.environ.get("ASSERTIONS_BY_GOOGLE_AUTH"):
        return verify(asserter)
    if not os.path.exists(python) or subprocess.run([python, "-c", "import google.auth, cryptography"],
                                                    stderr=subprocess.DEVNULL).returncode:
        print(f"skipped: {python} has no google-auth; ./dev packages test installs it")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    os.environ["ASSERTIONS_BY_GOOGLE_AUTH"] = "true"
    os.execv(python, [python, __file__, python, asserter])


if __name__ == "__main__":
    main()

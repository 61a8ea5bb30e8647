"""Other people's SMART clients, driven by `smart.py` with a Python that has them: JSON in, JSON out."""

import json
import sys
import time
import urllib.parse

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from joserfc.jwk import ECKey, RSAKey


def keys(given):
    """A private key of each algorithm, as PEM, and the JWK set of their public halves."""
    private, public = {}, []
    for algorithm, key, kind in (("RS384", rsa.generate_private_key(65537, 2048), RSAKey),
                                 ("ES384", ec.generate_private_key(ec.SECP384R1()), ECKey),
                                 ("RS256", rsa.generate_private_key(65537, 2048), RSAKey),
                                 ("ES256", ec.generate_private_key(ec.SECP256R1()), ECKey)):
        pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                serialization.NoEncryption()).decode()
        private[algorithm] = pem
        public.append({**kind.import_key(pem).as_dict(private=False), "kid": algorithm, "use": "sig", "alg": algorithm})
    return {"private": private, "jwks": {"keys": public}}


def proof(given):
    """How Authlib proves a client by its key; with a lifetime only where one is said."""
    claims = {"exp": int(time.time()) + given["lifetime"]} if given.get("lifetime") else None
    return PrivateKeyJWT(given["token_url"], claims, {"kid": given.get("kid", given["algorithm"])},
                         given["algorithm"])


def service(given):
    """SMART Backend Services by Authlib: a token, and what it reads."""
    key = (RSAKey if given["algorithm"].startswith("RS") else ECKey).import_key(given["key"])
    session = OAuth2Session(given["client"], key, token_endpoint_auth_method=proof(given), scope=given["scope"])
    try:
        token = session.fetch_token(given["token_url"], grant_type="client_credentials")
    except AuthlibBaseError as error:
        return {"error": error.error, "description": error.description}
    answer = session.get(given["read"])
    return {"token": token, "status": answer.status_code}


def begin(given):
    """An app's request by Authlib, with PKCE."""
    session = OAuth2Session(given["client"], redirect_uri=given["redirect"], scope=given["scope"], code_challenge_method="S256",
                            token_endpoint_auth_method="none")
    url, state = session.create_authorization_url(
        given["authorize_url"], code_verifier=given["verifier"], aud=given["fhir"], nonce="n-1")
    return {"url": url, "state": state}


def end(given):
    """The answer to it: tokens, the id token checked by the server's keys, a read, a refresh, a revocation."""
    session = OAuth2Session(given["client"], given.get("secret"), redirect_uri=given["redirect"], scope=given["scope"],
                            state=given["state"], token_endpoint_auth_method=given["method"])
    token = dict(session.fetch_token(
        given["token_url"], authorization_response=given["redirect"] + "?" + urllib.parse.urlencode(given["sent"]),
        code_verifier=given["verifier"]))
    from joserfc import jwt
    from joserfc.jwk import KeySet
    known = requests.get(given["openid"], timeout=30).json()
    signers = KeySet.import_key_set(requests.get(known["jwks_uri"], timeout=30).json())
    claims = jwt.decode(token["id_token"], signers, algorithms=known["id_token_signing_alg_values_supported"]).claims
    read = session.get(given["read"]).status_code
    refreshed = dict(session.refresh_token(given["token_url"], refresh_token=token["refresh_token"]))
    again = session.get(given["read"]).status_code
    session.revoke_token(given["revoke_url"], token=refreshed["refresh_token"], token_type_hint="refresh_token")
    after = requests.get(given["read"], headers={"Authorization": "Bearer " + refreshed["access_token"]}, timeout=30)
    return {"token": token, "claims": claims, "issuer": known["issuer"], "read": read, "refreshed": refreshed,
            "again": again, "after": after.status_code, "at": time.time()}


if __name__ == "__main__":
    made = {"keys": keys, "service": service, "begin": begin, "end": end}[sys.argv[1]](json.load(sys.stdin))
    json.dump(made, sys.stdout)

"""Authlib (PyPI) as a client of SMART Backend Services: accepted where its assertion lives five minutes, refused with the hour
that it gives by itself."""

import json
import time
import unittest

from programs import Program, needs


@needs("Authlib", "joserfc", "requests")
class Authlib(Program):
    packages = ("Authlib", "joserfc")

    @classmethod
    def setUpClass(cls):
        from joserfc.jwk import ECKey, RSAKey
        super().setUpClass()
        cls.keys = {"RS384": RSAKey.generate_key(2048, {"kid": "RS384", "use": "sig", "alg": "RS384"}, private=True),
                    "ES384": ECKey.generate_key("P-384", {"kid": "ES384", "use": "sig", "alg": "ES384"}, private=True)}
        file = cls.study.root / "keys.json"
        file.write_text(json.dumps({"keys": [key.as_dict(private=False) for key in cls.keys.values()]}))
        cls.client = cls.registered(file, "system/*.rs")
        cls.token_url = cls.server.url + "/oauth2/token"

    def session(self, algorithm, claims=None):
        from authlib.integrations.requests_client import OAuth2Session
        from authlib.oauth2.rfc7523 import PrivateKeyJWT
        method = PrivateKeyJWT(self.token_url, claims, {"kid": algorithm}, algorithm)
        session = OAuth2Session(self.client, self.keys[algorithm], token_endpoint_auth_method=method, scope="system/Patient.rs")
        session.trust_env = False
        self.addCleanup(session.close)
        return session

    def test_it_is_accepted_with_five_minutes(self):
        for algorithm in self.keys:
            session = self.session(algorithm, {"exp": int(time.time()) + 300})
            token = session.fetch_token(self.token_url, grant_type="client_credentials")
            self.assertEqual((token["token_type"], token["scope"]), ("Bearer", "system/Patient.rs"))
            self.assertEqual(session.get(self.base + "/Patient").status_code, 200)
            self.assertEqual(session.get(self.base + "/Observation").status_code, 403)

    def test_it_is_refused_with_the_hour_that_it_gives_by_itself(self):
        from authlib.integrations.base_client import OAuthError
        for algorithm in self.keys:
            with self.assertRaises(OAuthError) as refused:
                self.session(algorithm).fetch_token(self.token_url, grant_type="client_credentials")
            self.assertEqual(refused.exception.error, "invalid_client")
            self.assertIn("exp", refused.exception.description)


if __name__ == "__main__":
    unittest.main()

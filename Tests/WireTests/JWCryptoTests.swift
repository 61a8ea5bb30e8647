import Foundation
import Testing

@testable import Wire

/// Sealing and opening together with another implementation of RFC 7516.
@Suite(.enabled(if: ExternalTool.hasJWCrypto)) struct JWCryptoTests {
    private let payload = Data("{\"resourceType\":\"Patient\"}\n{\"resourceType\":\"Contract\",\"n\":1.50}\n".utf8)

    @Test(arguments: [[0], [1], [0, 1], [1, 0]]) func jwcryptoOpensSealedEnvelopes(mix: [Int]) throws {
        let keys = [try TestKeys.rsa.get(), try TestKeys.p256.get()]
        let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 3, contentType: .batch)
        let sealed = try SealedEnvelope.seal(payload, as: header, to: mix.map { keys[$0].publicKey })
        for index in mix {
            let script = """
                import sys, json
                from jwcrypto import jwk, jwe
                pem, envelope = sys.stdin.buffer.read().split(b'\\0')
                token = jwe.JWE()
                token.deserialize(envelope.decode(), jwk.JWK.from_pem(pem))
                protected = json.loads(token.objects['protected'])
                assert protected['seq'] == 3 and protected['cty'] == 'application/fhir+ndjson', protected
                sys.stdout.buffer.write(token.payload)
                """
            let input = Data(keys[index].pem.utf8) + Data([0]) + sealed.bytes
            #expect(try ExternalTool.run("python3", ["-c", script], input: input) == payload)
        }
    }

    @Test(arguments: ["flattened", "general", "unprotected"]) func envelopeOfJWCryptoIsOpened(form: String) throws {
        let keys = [try TestKeys.rsa.get(), try TestKeys.p256.get()]
        let script = """
            import sys, json
            from jwcrypto import jwk, jwe
            form, jwks, payload = sys.stdin.buffer.read().split(b'\\0')
            keys = jwk.JWKSet.from_json(jwks.decode())
            names = {'enc': 'A256GCM', 'sid': '6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10', 'seq': 5, 'cty': 'fhir+ndjson'}
            def own(key):
                return {'alg': 'RSA-OAEP-256' if key['kty'] == 'RSA' else 'ECDH-ES+A256KW', 'kid': key['kid']}
            def token(recipients, protected, unprotected=None, aad=None):
                t = jwe.JWE(payload, protected=json.dumps(protected), unprotected=unprotected, aad=aad)
                for key, header in recipients: t.add_recipient(key, header=header)
                return t.serialize()
            keys = [k for k in jwk.JWKSet.from_json(jwks.decode())['keys']]
            keys.sort(key=lambda k: k['kty'])
            if form == b'general':
                print(token([(k, json.dumps(own(k))) for k in keys], names))
            elif form == b'flattened':
                for k in keys: print(token([(k, None)], {**names, **own(k)}, aad=b'extra'))
            else:
                for k in keys: print(token([(k, None)], names, json.dumps(own(k))))
            """
        let input = Data(form.utf8) + Data([0]) + PublicKey.jwks(keys.map(\.publicKey)) + Data([0]) + payload
        let output = try ExternalTool.run("python3", ["-c", script], input: input)
        let envelopes = output.split(separator: 0x0A)
        #expect(envelopes.count == (form == "general" ? 1 : 2))
        for envelope in envelopes {
            let opened = try OpenedEnvelope.open(Data(envelope), with: KeySet(keys))
            #expect(opened.payload == payload)
            #expect(opened.sequence == 5 && opened.contentType == .batch)
            #expect(try EnvelopeHeader.read(from: Data(envelope)).sequence == 5)
        }
        if form == "general", let envelope = envelopes.first {
            for key in keys {
                #expect(try OpenedEnvelope.open(Data(envelope), with: KeySet([key])).keyID == key.keyID)
            }
        }
    }

    @Test func jwcryptoReadsKeysAndAgreesOnThumbprints() throws {
        for key in [try TestKeys.rsa.get().publicKey, try TestKeys.p256.get().publicKey] {
            let script =
                "import sys; from jwcrypto import jwk; print(jwk.JWK.from_json(sys.stdin.read()).thumbprint(), end='')"
            #expect(try ExternalTool.run("python3", ["-c", script], input: key.jwk) == Data(key.keyID.utf8))
        }
    }
}

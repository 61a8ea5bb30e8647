import Core
import Crypto
import Foundation
import Testing

@testable import Wire

@Suite struct JWEVectorTests {
    /// RFC 3394 section 4.6: 256 bits of key data under a key of 256 bits.
    @Test func keyWrapMatchesTheStandard() throws {
        let wrapping = SymmetricKey(data: Data((0..<32).map { UInt8($0) }))
        let key = SymmetricKey(
            data: Data(hex: "00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F"))
        let wrapped = try AES.KeyWrap.wrap(key, using: wrapping)
        #expect(
            wrapped == Data(hex: "28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21"))
        #expect(try AES.KeyWrap.unwrap(wrapped, using: wrapping) == key)
    }

    /// RFC 7518 appendix C: ECDH-ES with Alice's ephemeral key and Bob's, apu "Alice", apv "Bob".
    @Test func keyAgreementMatchesTheStandard() throws {
        let alice =
            #"{"kty":"EC","crv":"P-256","x":"gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0","y":"SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps"}"#
        let bob = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: #require(Data(base64URL: "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw")))
        let opener = KeySet([.p256(try P256PrivateKey(bob))])
        guard case .p256(let ephemeral)? = try PublicKey.read(from: Data(alice.utf8)).first else {
            throw TestFailure("Alice's key is P-256")
        }
        let secret = try opener.agreeP256(keyID: #require(opener.keyIDs(of: .p256).first), ephemeral: ephemeral)
        #expect(secret.prefix(4) == Data([158, 86, 217, 29]))
        let derived = ConcatKDF.derive(
            secret: secret, algorithm: "A128GCM", partyU: Data("Alice".utf8), partyV: Data("Bob".utf8), bits: 128)
        #expect(derived.withUnsafeBytes { Data($0) }.base64URL == "VqqN6vgjbSBcIijNcacQGg")
    }

    /// RFC 7516 appendix A.1: the content encryption with a given key. (RSA-OAEP with SHA-1, which the example uses for
    /// the key, is not supported.)
    @Test func contentEncryptionMatchesTheStandard() throws {
        let key = SymmetricKey(
            data: Data([
                177, 161, 244, 128, 84, 143, 225, 115, 63, 180, 3, 255, 107, 154, 212, 246, 138, 7, 110, 91, 112, 46,
                34,
                105, 47, 130, 203, 46, 122, 234, 64, 252,
            ]))
        let jwe = JWE(
            recipients: [], protected: [:],
            authenticatedData: Data("eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ".utf8),
            initializationVector: try #require(Data(base64URL: "48V1_ALb6US04U3b")),
            ciphertextText:
                "5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A",
            tag: try #require(Data(base64URL: "XFBoMYUZodetZdvTiFvSkQ")))
        #expect(
            try String(decoding: jwe.decrypt(with: key), as: UTF8.self)
                == "The true sign of intelligence is not knowledge but imagination.")
    }
}

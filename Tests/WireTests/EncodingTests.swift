import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("66", "Zg"), ("666f", "Zm8"), ("666f6f", "Zm9v"), ("fbff", "-_8"), ("03ecffe0c1", "A-z_4ME"),
    ])
    func bytesHaveOneEncoding(hex: String, text: String) {
        #expect(Data(hex: hex).base64URL == text)
        #expect(Data(base64URL: text) == Data(hex: hex))
    }

    @Test(arguments: ["Zg==", "Zh", "A", "Zm9v\n", "Zm 9", "-_9", "+/8", "Zm9vZ", "é"])
    func otherSpellingsAreRefused(text: String) {
        #expect(Data(base64URL: text) == nil && !Base64URL.isWellFormed(text))
    }

    @Test func bytesOfEveryLengthAreReadUnchanged() {
        for length in 0..<200 {
            let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) })
            #expect(Data(base64URL: bytes.base64URL) == bytes && Base64URL.isWellFormed(bytes.base64URL))
        }
    }

    @Test func wellFormedTextsAreThoseThatDecode() {
        var random = Seeded.fresh()
        for _ in 0..<5_000 {
            let text = String(
                (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    "AZaz09-_Qgw8=+".randomElement(using: &random) ?? "A"
                })
            let decoded = Data(base64URL: text)
            #expect(Base64URL.isWellFormed(text) == (decoded != nil), "\(text)")
            if let decoded { #expect(decoded.base64URL == text) }
        }
    }

    @Test func aSliceIsEncodedFromItsOwnStart() {
        #expect(Data([1, 2, 3, 4, 5]).dropFirst(2).base64URL == Data([3, 4, 5]).base64URL)
    }
}

@Suite struct PEMTests {
    private func wrapped(_ key: PublicKey, lines length: Int, ending: String = "\n") -> Data {
        var rest = Substring(key.subjectPublicKeyInfo.base64EncodedString())
        var lines = ["-----BEGIN PUBLIC KEY-----"]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return Data((lines + ["-----END PUBLIC KEY-----"]).joined(separator: ending).utf8)
    }

    @Test func blocksAreFoundBetweenOtherText() throws {
        let key = try TestKeys.p256.get().publicKey
        let other = PublicKey.pem("OTHER", Data(repeating: 7, count: 100))
        let text = "subject=x\r\n" + other + "\nnote\n" + key.pem + other
        #expect(try PublicKey.read(from: Data(text.utf8)) == [key])
        #expect(other.split(separator: "\n").allSatisfy { $0.count <= 64 } && other.hasSuffix("-----END OTHER-----\n"))
    }

    @Test func lineEndsOfAnySystemAreRead() throws {
        let key = try TestKeys.rsa.get().publicKey
        #expect(try PublicKey.read(from: wrapped(key, lines: 64)) == [key])
        #expect(try PublicKey.read(from: wrapped(key, lines: 64, ending: "\r\n")) == [key])
    }

    /// RFC 7468 section 2: a writer wraps at 64 characters, and a reader may refuse other lengths.
    @Test(arguments: [63, 65, 76, 10_000])
    func linesOfAnotherLengthAreRefusedWithAReason(length: Int) throws {
        let text = wrapped(try TestKeys.rsa.get().publicKey, lines: length)
        let error = #expect(throws: WireError.self) { try PublicKey.read(from: text) }
        #expect(error?.code == "key-malformed" && error?.message.contains("lines of 64 characters") == true)
    }

    @Test(arguments: [
        "-----BEGIN PUBLIC KEY-----\nAAAA\n", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END B-----\n",
        "-----BEGIN PUBLIC KEY-----\n*\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\n-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n", "-----BEGIN ",
    ])
    func damagedTextIsRefused(text: String) {
        let error = #expect(throws: WireError.self) { try PublicKey.read(from: Data(text.utf8)) }
        #expect(error?.code == "key-malformed")
    }

    @Test func damagedPrivateKeyIsReportedAsPrivate() {
        let text = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n"
        let error = #expect(throws: WireError.self) { try PublicKey.read(from: Data(text.utf8)) }
        #expect(error?.code == "key-is-private")
    }
}

/// Distinguished encoding (ITU-T X.690): one encoding for each value.
@Suite struct DERTests {
    private func refusal(of bytes: [UInt8]) -> String? { code { _ = try PublicKey.read(from: Data(bytes)) } }

    @Test func keyWithoutDistinguishedEncodingIsRefused() throws {
        let good = [UInt8](try TestKeys.p256.get().publicKey.subjectPublicKeyInfo)
        #expect(refusal(of: good) == nil && good.starts(with: [0x30, 0x59]))
        // A length that is not minimal, an indefinite length, bytes after the key.
        #expect(refusal(of: [0x30, 0x81, 0x59] + good[2...]) == "key-malformed")
        #expect(refusal(of: [0x30, 0x80] + good[2...] + [0, 0]) == "key-malformed")
        #expect(refusal(of: good + [0]) == "key-malformed")
        // A BIT STRING whose bits are not whole octets.
        var padded = good
        padded[25] = 1
        #expect(refusal(of: padded) == "key-malformed")
    }

    @Test func integerWithASurplusZeroIsRefused() throws {
        let key = try TestKeys.rsaPublicKey()
        func pkcs1(_ modulus: [UInt8]) -> [UInt8] {
            let content =
                [0x02, 0x82, UInt8(modulus.count >> 8), UInt8(modulus.count & 255)] + modulus + [2, 3, 1, 0, 1]
            return [0x30, 0x82, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
        }
        let modulus = [UInt8](key.modulus)
        #expect(try PublicKey.read(from: Data(pkcs1([0] + modulus))) == [.rsa(key)])
        #expect(refusal(of: pkcs1([0, 0] + modulus)) == "key-malformed")
        #expect(refusal(of: pkcs1(modulus)) == "key-malformed", "a negative modulus")
    }

    @Test func deepNestingIsRefusedAndDoesNotCrash() {
        var bytes: [UInt8] = [0x30, 0]
        for _ in 0..<200 { bytes = [0x30, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes }
        #expect(refusal(of: bytes) == "key-malformed")
    }
}

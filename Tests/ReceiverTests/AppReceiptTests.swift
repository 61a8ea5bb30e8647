import Foundation
import TestSupport
import Testing

@testable import Receiver

@Suite(.timeLimit(.minutes(10)))
struct AppReceiptTests {
    static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    private static func verify(_ receipt: Data, _ root: Data? = nil, app: String = bundle) throws -> AppReceipt {
        let root = try root ?? Data(#require(Made.root).certificatePEM.utf8)
        return try AppReceipt(verifying: receipt, roots: [AppReceiptRoot(root)], bundleIdentifier: app)
    }

    @Test func developmentReceiptsAreVerifiedAndUnique() throws {
        let first = try Self.verify(Made.receipt())
        let second = try Self.verify(Made.receipt())
        #expect(first.bundleIdentifier == bundle && first.digest.utf8.count == 64)
        #expect(first.digest != second.digest)
    }

    @Test func aRootIsReadFromPEMAndDER() throws {
        let pem = try #require(Made.root).certificatePEM
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let der = try #require(Data(base64Encoded: base64))
        #expect(try AppReceiptRoot(der) == AppReceiptRoot(Data(pem.utf8)))
        for wrong in [Data(), Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----".utf8), Data([0x30])] {
            #expect(throws: AppReceiptError.rootInvalid) { try AppReceiptRoot(wrong) }
        }
    }

    @Test func anotherAppsReceiptIsRefused() throws {
        let other = try Made.receipt("org.example.other")
        #expect(throws: AppReceiptError.otherApp) { try Self.verify(other) }
        #expect(throws: AppReceiptError.otherApp) { try Self.verify(Made.receipt(), app: bundle + ".more") }
    }

    @Test func receiptNeedsOneOfTheTrustedRoots() throws {
        let other = try AppReceipt.makeDevelopmentRoot()
        let receipt = try Made.receipt()
        #expect(throws: AppReceiptError.untrusted) { try Self.verify(receipt, Data(other.certificatePEM.utf8)) }
        #expect(throws: AppReceiptError.untrusted) {
            try AppReceipt(verifying: receipt, roots: [], bundleIdentifier: bundle)
        }
        let roots = try [other, #require(Made.root)].map { try AppReceiptRoot(Data($0.certificatePEM.utf8)) }
        #expect(throws: Never.self) { try AppReceipt(verifying: receipt, roots: roots, bundleIdentifier: bundle) }
    }

    @Test func rootWithASignerMarkerRefusesSignersWithoutIt() throws {
        let root = try AppReceiptRoot(
            Data(#require(Made.root).certificatePEM.utf8), signerMarker: "1.2.840.113635.100.6.11.1")
        #expect(throws: AppReceiptError.untrusted) {
            try AppReceipt(verifying: Made.receipt(), roots: [root], bundleIdentifier: bundle)
        }
    }

    @Test func truncatedOrExtendedReceiptIsRefused() throws {
        let receipt = try Made.receipt()
        for length in stride(from: 0, to: receipt.count, by: 7) {
            #expect(throws: AppReceiptError.self) { try Self.verify(receipt.prefix(length)) }
        }
        #expect(throws: AppReceiptError.malformed) { try Self.verify(receipt + Data([0])) }
        #expect(throws: AppReceiptError.malformed) { try Self.verify(Data("NO-APP-RECEIPT".utf8)) }
    }

    @Test func changedByteNeverYieldsAnotherReceipt() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let receipt = try Made.receipt()
        let digest = try Self.verify(receipt).digest
        for _ in 0..<600 {
            var damaged = receipt
            let offset = Int.random(in: 0..<damaged.count, using: &generator)
            damaged[offset] ^= UInt8.random(in: 1...255, using: &generator)
            // A byte outside of the signed content may change; the receipt is then the same.
            if let read = try? Self.verify(damaged) { #expect(read.digest == digest, "seed \(seed)") }
        }
    }

    @Test func randomBytesNeverCrash() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<200, using: &generator)
            var bytes = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            if Bool.random(using: &generator) { bytes = Data([0x30, 0x80, 0x06, 0x09]) + bytes }
            #expect(throws: AppReceiptError.self) { try Self.verify(bytes) }
            _ = AppReceipt.bundleIdentifier(in: Data([0x31, UInt8(truncatingIfNeeded: count)]) + bytes)
        }
        let good = try AppReceipt.payload(bundleIdentifier: bundle, created: Date())
        #expect(AppReceipt.bundleIdentifier(in: good) == bundle)
        for length in 0..<good.count { #expect(AppReceipt.bundleIdentifier(in: good.prefix(length)) == nil) }
        for _ in 0..<5000 {
            var damaged = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(
                    in: .min ... .max, using: &generator)
            }
            _ = AppReceipt.bundleIdentifier(in: damaged)
        }
    }

    @Test func thePayloadMustNameOneApp() {
        let name: [UInt8] = [0x0C, 1, 65]
        let attribute: [UInt8] = [0x30, 11, 2, 1, 2, 2, 1, 1, 4, 3] + name
        func payload(_ attributes: [UInt8]) -> Data { Data([0x31, UInt8(attributes.count)] + attributes) }
        #expect(AppReceipt.bundleIdentifier(in: payload(attribute)) == "A")
        #expect(AppReceipt.bundleIdentifier(in: payload(attribute + attribute)) == nil)
        #expect(AppReceipt.bundleIdentifier(in: payload([])) == nil)
        #expect(AppReceipt.bundleIdentifier(in: payload(attribute) + Data([0])) == nil)
        // BER is accepted where DER is refused: members in any order, lengths that are not minimal, indefinite lengths.
        let later: [UInt8] = [0x30, 11, 2, 1, 9, 2, 1, 1, 4, 3] + name
        #expect(AppReceipt.bundleIdentifier(in: payload(later + attribute)) == "A")
        #expect(AppReceipt.bundleIdentifier(in: Data([0x31, 0x80] + attribute + [0, 0])) == "A")
        // Large attribute types and a long-form length are skipped; a negative type is not 2.
        let large: [UInt8] = [0x30, 0x81, 15, 2, 5, 1, 0, 0, 0, 2, 2, 1, 1, 4, 3] + name
        #expect(AppReceipt.bundleIdentifier(in: payload(large + attribute)) == "A")
        let negative: [UInt8] = [0x30, 11, 2, 1, 0xFE, 2, 1, 1, 4, 3] + name
        #expect(AppReceipt.bundleIdentifier(in: payload(negative + attribute)) == "A")
        let beyond: [UInt8] = [0x30, 20, 2, 10, 1] + [UInt8](repeating: 0, count: 9) + [2, 1, 1, 4, 3] + name
        #expect(AppReceipt.bundleIdentifier(in: payload(beyond + attribute)) == "A")
    }

    @Test func deepNestingIsRefusedAndDoesNotCrash() {
        for depth in [10, 60, 10_000, 100_000] {
            let indefinite = Data(
                [UInt8](repeating: 0x31, count: 1) + (0..<depth).flatMap { _ in [0x80, 0x31] as [UInt8] })
            #expect(AppReceipt.bundleIdentifier(in: indefinite) == nil)
        }
    }

    /// Receipts made by the openssl command line, independently of the code under test.
    @Test(
        .enabled(if: hasOpenSSL, "openssl is not installed"),
        arguments: [
            ("rsa:2048", "sha1", []), ("rsa:2048", "sha256", []), ("rsa:2048", "sha256", ["-noattr"]),
            ("rsa:2048", "sha1", ["-noattr"]), ("ec", "sha256", []), ("ec", "sha1", []),
            ("rsa:2048", "sha256", ["-stream"]),
        ] as [(String, String, [String])])
    func receiptsOfTheCommandLineAreVerified(key: String, digest: String, options: [String]) throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        defer { temporary.remove() }
        func openssl(_ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "openssl \(arguments)")
        }
        let kind = key == "ec" ? ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] : ["-newkey", key]
        // A root, and below it a signer whose certificate, signed with SHA-1, expired immediately.
        try openssl(["req", "-x509", "-nodes", "-subj", "/CN=Root", "-keyout", "root.key", "-out", "root.pem"] + kind)
        try openssl(["req", "-new", "-nodes", "-subj", "/CN=Signer", "-keyout", "s.key", "-out", "s.csr"] + kind)
        try openssl([
            "x509", "-req", "-in", "s.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "7", "-days", "0",
            "-\(digest)", "-out", "s.pem",
        ])
        let content = try AppReceipt.payload(bundleIdentifier: bundle, created: Date())
        try content.write(to: folder.appendingPathComponent("payload"))
        try openssl(
            [
                "cms", "-sign", "-binary", "-nodetach", "-md", digest, "-in", "payload", "-signer", "s.pem", "-inkey",
                "s.key", "-outform", "DER", "-out", "receipt",
            ] + options)
        let receipt = try Data(contentsOf: folder.appendingPathComponent("receipt"))
        let root = try Data(contentsOf: folder.appendingPathComponent("root.pem"))
        #expect(try Self.verify(receipt, root).bundleIdentifier == bundle)
        #expect(throws: AppReceiptError.untrusted) { try Self.verify(receipt) }
        // Without the content nothing is signed.
        try openssl([
            "cms", "-sign", "-binary", "-md", digest, "-in", "payload", "-signer", "s.pem", "-inkey", "s.key",
            "-outform", "DER", "-out", "detached",
        ])
        let detached = try Data(contentsOf: folder.appendingPathComponent("detached"))
        #expect(throws: AppReceiptError.malformed) { try Self.verify(detached, root) }
    }
}

import Foundation
import Testing

@testable import FHIR

private let conformance = ProcessInfo.processInfo.environment["TRIBUTARY_CONFORMANCE"]

@Suite struct PublishedExampleTests {
    /// HL7's examples of R4, as their archive holds them.
    @Test(.enabled(if: conformance != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func everyPublishedExampleKeepsItsDigitsAndOrder() throws {
        let archive = try #require(conformance) + "/fhir-r4.tar.xz"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xJf", archive, "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        let names = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        var exact = 0
        for case let file as URL in names where file.pathExtension == "json" && file.path.contains("/examples/") {
            let bytes = try Data(contentsOf: file)
            let value = try JSON(bytes)
            #expect(try JSON(value.bytes()) == value)
            // Escapes may be written in several ways; without them the texts must be the same, byte for byte.
            if bytes.range(of: Data("\\u".utf8)) == nil, bytes.range(of: Data("\\/".utf8)) == nil {
                #expect(value.bytes() == withoutSpace(bytes), "\(file.lastPathComponent)")
                exact += 1
            }
            count += 1
        }
        #expect(count == 377)
        #expect(exact > 300)
    }

    /// The bytes without the white space between tokens, by a reader of its own.
    private func withoutSpace(_ data: Data) -> [UInt8] {
        var output: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if [0x20, 0x0A, 0x0D, 0x09].contains(byte) {
                continue
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            }
            output.append(byte)
        }
        return output
    }
}

import Foundation

/// Matters that have one implementation in the package, each with the signs of a second implementation.
struct SingleAnswers {
    struct Matter: Sendable {
        let name: String
        /// Texts that occur only in an implementation of the matter.
        let signs: [String]
        /// The file or folder that answers it; nil where a library does.
        let home: String?
        /// Files that may show a sign, each with the reason.
        var exceptions: [String: String] = [:]
    }

    /// Returns the lines of a file that implement a matter that has an implementation elsewhere. Comments are skipped;
    /// literals count, because alphabets and formats are literals.
    func secondAnswers(in file: SourceFile, to matters: [Matter] = SingleAnswers.matters) -> [Breach] {
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        return matters.flatMap { matter -> [Breach] in
            // Few files have a sign at all.
            guard matter.signs.contains(where: file.contains) else { return [] }
            if let home = matter.home, file.path.hasPrefix(home) { return [] }
            if matter.exceptions[file.path] != nil { return [] }
            return lines.enumerated().compactMap { index, line in
                guard !line.drop(while: \.isWhitespace).hasPrefix("//"),
                    let sign = matter.signs.first(where: { line.contains($0) })
                else { return nil }
                let answer = matter.home ?? "a library"
                return Breach(
                    path: file.path, line: index + 1, what: "\(sign): \(matter.name) is answered by \(answer)")
            }
        }
    }

    private static let core = "Sources/Language/Core/"

    static let matters: [Matter] = [
        Matter(
            name: "the civil calendar", signs: ["146_097", "146097", "719_468", "719468"],
            home: core + "Time/CivilDate.swift"),
        Matter(
            name: "the order of texts", signs: ["unicodeScalars.lexicographicallyPrecedes"],
            home: "Sources/Language/FHIRPath/TextOrder.swift"),
        Matter(
            name: "division toward minus infinity",
            signs: ["func floored", "func floorDiv", "- 86_399) /", "- 86399) /", "- 999) / 1000"],
            home: core + "Numbers/FlooredDivision.swift"),
        Matter(
            name: "hexadecimal",
            signs: ["0123456789abcdef", "0123456789ABCDEF", "%02x", "%02X", "radix: 16"],
            home: core + "Encoding/Hexadecimal.swift",
            exceptions: [
                "Sources/Server/ServerHTTP/Monitoring/JSONLogHandler.swift": "an escape has four digits",
                "Sources/Language/FHIR/Narrative/XHTMLScanner.swift": "a character reference has as many as it likes",
                "Sources/Device/InformedConsent/HTMLText.swift": "a character reference has as many as it likes",
                "Sources/Documents/ConsentDocument/ConsentPDFError.swift":
                    "libharu's manual writes its codes without zeros",
            ]),
        Matter(
            name: "base64url",
            signs: ["\"+\", with: \"-\"", "\"-\", with: \"+\"", "UVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"],
            home: core + "Encoding/Data+Base64URL.swift",
            exceptions: ["Sources/Language/FHIRPath/Evaluator+Text.swift": "FHIRPath's urlbase64 keeps the padding"]),
        Matter(
            name: "percent encoding", signs: ["addingPercentEncoding", "removingPercentEncoding"],
            home: core + "Encoding/PercentEncoding.swift"),
        Matter(
            name: "text in HTML", signs: ["\"&lt;\""], home: core + "Encoding/MarkupText.swift",
            exceptions: [
                "Sources/Language/FHIRXML/XMLOutput.swift": "it also refuses the characters that XML does not allow",
                "Sources/Server/Warehouse/Ontology/MetadataXML.swift": "XML of i2b2 keeps apostrophes as they are",
                "Sources/Device/InformedConsent/Markdown/MarkdownHTML.swift":
                    "a consent's texts keep the form that their digest has",
            ]),
        Matter(
            name: "a UUID made of a digest", signs: ["& 0x3F | 0x80", "& 0x3F) | 0x80"],
            home: core + "Encoding/UUID+Digest.swift"),
        Matter(
            name: "numbers of any size", signs: ["multipliedFullWidth", "dividingFullWidth"], home: core + "Numbers/",
            exceptions: [
                "Sources/Device/HealthTypes/Units/UnitConversion+Text.swift":
                    "samples by the million, whose products fit two words"
            ]),
        Matter(
            name: "reading JSON", signs: ["JSONSerialization", "0xD800", "0xDBFF"], home: core + "JSON/",
            exceptions: ["Sources/Language/FHIRPath/Lexer.swift": "the escapes of FHIRPath's own strings"]),
        Matter(
            name: "the JSON of foreign bytes", signs: ["JSONDecoder("], home: core + "JSON/",
            exceptions: [
                "Sources/Apple/CareKitAdapter/CareKitConversion.swift": "CareKit's own Codable values",
                "Sources/Device/Outbox/DeviceStore.swift": "Decodable values of the app's own in files of the device",
                "Sources/Server/Admission/Consent/ConsentRegister.swift": "rows that the server itself wrote",
                "Sources/Server/Consumer/Participants/ParticipantDeletion.swift": "rows that the consumer itself wrote",
            ]),
        Matter(
            name: "DER and PEM", signs: ["DERReader", "DERElement", "DERParser", "PEMReader", "-----BEGIN"], home: nil,
            exceptions: [
                "Sources/Wire/Keys/PublicKey+Reading.swift": "tells PEM from JSON and DER",
                "Sources/Server/Receiver/AppReceiptRoot.swift": "tells PEM from DER; OpenSSL reads both",
            ]),
        Matter(
            name: "zlib's format", signs: ["Huffman", "65521", "65_521", "0xEDB8_8320", "0xEDB88320"], home: nil,
            exceptions: [
                "Sources/Device/Attachments/PNGChecksum.swift": "a phone's app builds no module of zlib's"
            ]),
        Matter(
            name: "the code and sentence of an error, at its own definition,", signs: [": CodedError {}"], home: core),
    ]

    /// The same for tests: one generator, one reader of published data, one small disk.
    static let testMatters: [Matter] = [
        Matter(
            name: "numbers that a seed repeats", signs: ["0x9E37_79B9", "0x9E3779B9"],
            home: "Tests/TestSupport/Seeded.swift"),
        Matter(
            name: "the folder of published data", signs: ["environment[\"TRIBUTARY_CONFORMANCE\"]"],
            home: "Tests/TestSupport/PublishedData.swift"),
        Matter(
            name: "a small disk", signs: ["\"tmpfs\""], home: "Tests/TestSupport/SmallDisk.swift"),
    ]
}

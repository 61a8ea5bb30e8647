import FHIR
import Foundation
import InformedConsent
import TestSupport
import Testing

@testable import ConsentDocument

@Suite(.enabled(if: FontFiles.dejaVu() != nil, "DejaVu Sans is not installed"))
struct ConsentPDFTests {
    static func layout(
        sections: Int = 3, paragraphs: Int = 4, name: String = "Zoë Łukasz", image: Data? = nil
    ) -> ConsentDocumentLayout {
        ConsentDocumentLayout(
            title: "Sleep and Mood Study", teamName: "Research team", template: "https://study.example/c|1",
            sections: (1...sections).map { section in
                ConsentDocumentLayout.Section(
                    heading: "Section \(section)",
                    paragraphs: (1...paragraphs).map {
                        "Paragraph \($0): " + String(repeating: "words that fill the line ", count: 20)
                    })
            },
            eligibility: [ConsentDocumentLayout.Confirmation(text: "Are you 18 or older?", answer: true)],
            sharing: "My data may be used by the research team only.",
            signature: ConsentDocumentLayout.Signature(
                name: name, date: "2026-03-01 14:05 (UTC+01:00)", image: image))
    }

    /// Returns the text of a PDF as poppler reads it, or nil if poppler is not installed.
    static func text(_ pdf: Data) throws -> String? {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftotext") else { return nil }
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let file = temporary.url.appendingPathComponent("consent.pdf")
        try pdf.write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/pdftotext")
        process.arguments = ["-layout", file.path, "-"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }

    @Test func aDocumentHasItsTextOnNumberedPages() throws {
        let pdf = try ConsentPDF.draw(ConsentPDFTests.layout(sections: 8, image: PNGs.signature))
        #expect(pdf.starts(with: Data("%PDF-".utf8)))
        guard let text = try ConsentPDFTests.text(pdf) else { return }
        for expected in [
            "Sleep and Mood Study", "Section 8", "Zoë Łukasz", "2026-03-01 14:05 (UTC+01:00)", "Yes",
            "My data may be used by the research team only.", "5 / 5",
        ] {
            let isThere = text.filter { $0 != " " }.contains(expected.filter { $0 != " " })
            #expect(isThere, "\(expected)")
        }
        #expect(text.components(separatedBy: "Paragraph").count - 1 == 32)
    }

    /// `CONSENT_PDF=file` keeps the drawn example for inspection.
    @Test func theExampleStudysConsentIsDrawn() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples/study")
        let template = try ConsentTemplate(
            Resource([UInt8](Data(contentsOf: folder.appendingPathComponent("consent/contract.json")))))
        #expect(template.warnings == [])
        #expect(template.sections.count == 10 && template.requiresSharingAnswer)
        for (name, isOld) in [("consent-1.json", false), ("consent-2.json", true)] {
            let answers = try ConsentAnswers(
                JSON([UInt8](Data(contentsOf: folder.appendingPathComponent("answers/" + name)))))
            let signed = try ConsentSession(template: template, answers: answers).sign(
                ConsentSession.Signing(
                    name: "Zoë Łukasz", image: PNGs.signature, now: Date(timeIntervalSince1970: 1_772_366_400)))
            #expect(Pseudonymization.isNinetyOrOlder(signed.patient) == isOld)
            #expect(signed.patient.address.first?.postalCode == (isOld ? "000" : "021"))
            let pdf = try ConsentPDF.draw(signed.document)
            if let file = ProcessInfo.processInfo.environment["CONSENT_PDF"] {
                try pdf.write(to: URL(fileURLWithPath: file))
            }
            #expect(try ConsentPDFTests.text(pdf)?.contains("Leaving the study") ?? true)
        }
    }

    @Test(arguments: [
        "", "\u{0}", "👩‍👩‍👧 🎉", "名前", "שם", String(repeating: "x", count: 4000), "a\u{301}\u{FEFF}\u{202E}b",
        "ﷺ\u{FFFF}\u{E000}",
        "(((\\)", "%PDF endstream",
    ])
    func noTextBreaksTheDocument(text: String) throws {
        var layout = ConsentPDFTests.layout(name: text)
        layout.title = text
        layout.sections[0].paragraphs = [text]
        let pdf = try ConsentPDF.draw(layout)
        #expect(try ConsentPDFTests.text(pdf)?.contains("Section 3") ?? true)
    }

    @Test func aMissingOrBrokenFontIsAnError() throws {
        let layout = ConsentPDFTests.layout()
        #expect(throws: ConsentPDFError.fontUnreadable(path: "/nowhere.ttf")) {
            try ConsentPDF.draw(layout, fonts: FontFiles(regular: "/nowhere.ttf"))
        }
        #expect(FontFiles.dejaVu(in: ["/nowhere"]) == nil)
        let regular = try #require(FontFiles.dejaVu()).regular
        let whole = try Data(contentsOf: URL(fileURLWithPath: regular))
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let file = temporary.url.appendingPathComponent("font.ttf")
        var flipped = whole
        flipped[whole.count / 2] ^= 1
        for broken in [Data(), Data("no font".utf8), whole.prefix(200), whole.prefix(5000), whole.dropLast(9), flipped]
        {
            try broken.write(to: file)
            #expect(throws: ConsentPDFError.fontUnreadable(path: file.path)) {
                try ConsentPDF.draw(layout, fonts: FontFiles(regular: file.path))
            }
        }
    }

    @Test func aBrokenSignatureIsAnErrorAndNoCrash() throws {
        let whole = PNGs.signature
        var cases = [Data(), Data("GIF89a".utf8), whole.prefix(20), whole.prefix(whole.count - 4)]
        for index in stride(from: 0, to: whole.count, by: 3) {
            var flipped = whole
            flipped[index] ^= 0x55
            cases.append(flipped)
        }
        // Valid checksums around invalid pixels reach the library.
        cases.append(PNGs.file(pixels: Data("not deflated".utf8)))
        cases.append(PNGs.file(pixels: Data()))
        cases.append(PNGs.file(width: 300, pixels: PNGs.deflated([UInt8](repeating: 0, count: 4))))
        cases.append(PNGs.file(width: 100_000, pixels: PNGs.deflated([0])))
        cases.append(PNGs.file(depth: 3, pixels: PNGs.deflated([0, 0])))
        cases.append(PNGs.file(color: 3, pixels: PNGs.deflated([0, 0])))
        cases.append(PNGs.file(color: 9, pixels: PNGs.deflated([0, 0])))
        for broken in cases {
            #expect(throws: ConsentPDFError.signatureUnreadable) {
                try ConsentPDF.draw(ConsentPDFTests.layout(sections: 1, paragraphs: 1, image: broken))
            }
        }
    }

    /// Files of other encoders: compressed by Python's zlib with each level, so that all kinds of blocks occur.
    @Test(arguments: [0, 1, 6, 9])
    func compressedPixelsAreReadAsZlibWroteThem(level: Int) throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-c",
            "import zlib,sys;d=bytes((i*i>>7)%251 for i in range(90000))+b'abc'*9000;"
                + "sys.stdout.buffer.write(zlib.compress(d,\(level)))",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let stream = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        let expected =
            (0..<90000).map { UInt8((($0 * $0) >> 7) % 251) }
            + [UInt8](String(repeating: "abc", count: 9000).utf8)
        #expect(PNGImage.inflated(stream, count: expected.count) == expected)
        #expect(PNGImage.inflated(stream, count: expected.count - 1) == nil)
        var random = Seeded.fresh()
        for _ in 0..<40 {
            var damaged = stream
            // A hint about the level of compression and the bits between blocks may change without changing the pixels.
            damaged[Int.random(in: 2..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            let read = PNGImage.inflated(damaged, count: expected.count)
            let isRight = read == nil || read == expected
            #expect(isRight, "seed \(random.seed)")
        }
    }

    @Test(arguments: [(UInt8(0), 1), (2, 3), (4, 2), (6, 4)])
    func signaturesOfEachColourTypeAreDrawn(color: UInt8, channels: Int) throws {
        let row = [UInt8](repeating: 0, count: 1) + (0..<(8 * channels)).map { UInt8($0 * 7 % 256) }
        let png = PNGs.file(
            width: 8, height: 8, color: color, pixels: PNGs.deflated(Array(repeating: row, count: 8).flatMap { $0 }))
        let pdf = try ConsentPDF.draw(ConsentPDFTests.layout(sections: 1, paragraphs: 1, image: png))
        #expect(pdf.range(of: Data("/Image".utf8)) != nil)
    }
}

/// PNG files made by the tests.
enum PNGs {
    /// A signature of some strokes, 60 by 20, grey.
    static let signature: Data = {
        var pixels: [UInt8] = []
        for y in 0..<20 {
            pixels.append(0)
            for x in 0..<60 {
                let isStroke = (x + y * 2) % 17 < 2 || (x * y) % 41 == 0
                pixels.append(isStroke ? 0 : 255)
            }
        }
        return file(width: 60, height: 20, color: 0, pixels: deflated(pixels))
    }()

    static func file(
        width: Int = 1, height: Int = 1, depth: UInt8 = 8, color: UInt8 = 0, pixels: Data
    ) -> Data {
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        data += chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + Data([depth, color, 0, 0, 0]))
        data += chunk("IDAT", pixels)
        return data + chunk("IEND", Data())
    }

    /// A zlib stream of one stored block.
    static func deflated(_ bytes: [UInt8]) -> Data {
        let length = UInt16(bytes.count)
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        var stream = Data([0x78, 0x01, 0x01])
        for word in [length, ~length] { stream += Data([UInt8(word & 255), UInt8(word >> 8)]) }
        stream += Data(bytes)
        return stream + big(b << 16 | a)
    }

    private static func chunk(_ name: String, _ body: Data) -> Data {
        let named = Data(name.utf8) + body
        return big(UInt32(body.count)) + named + big(checksum(named))
    }

    private static func big(_ value: UInt32) -> Data {
        withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }

    private static func checksum(_ data: Data) -> UInt32 {
        var crc = UInt32.max
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xEDB8_8320 }
        }
        return ~crc
    }
}

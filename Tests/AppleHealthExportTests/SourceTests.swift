import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

@Suite struct SourceTests {
    private let xml = Array(Exports.root(Exports.record()).utf8)

    private func convert(_ entries: [ZipEntry]) throws -> Outcome {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("export.zip")
        try Data(ZipEntry.archive(entries)).write(to: file)
        return try Exports.convert(path: file.path)
    }

    @Test func exportIsFoundByItsContentAndOtherFilesAreCounted() throws {
        let outcome = try convert([
            ZipEntry("__MACOSX/apple_health_export/._export.xml", xml), ZipEntry("apple_health_export/._x.xml", xml),
            ZipEntry("apple_health_export/export_cda.xml", Array("<ClinicalDocument/><ClinicalDocument>".utf8)),
            ZipEntry("apple_health_export/", []), ZipEntry("salud_de_zoë/exportación.xml", xml),
            ZipEntry("apple_health_export/electrocardiograms/ecg.csv", Array("Name,Zoë".utf8)),
            ZipEntry("apple_health_export/workout-routes/r.gpx", []),
            ZipEntry("apple_health_export/clinical-records/c.json", []),
        ])
        #expect(outcome.values == ["72"])
        #expect(
            outcome.importReport.notRead == [
                "resource-fork": 2, "other-xml-file": 1, "workout-route-file": 1, "clinical-record-file": 1,
                "ExportDate": 1,
            ])
        #expect(outcome.importReport.fileProblems == ["electrocardiogram-not-recognised": 1])
    }

    @Test(arguments: ["../export.xml", "/etc/export.xml", "a/../../export.xml", "..\\export.xml"])
    func namesThatLeadOutOfTheArchiveAreRefused(name: String) throws {
        #expect(throws: ExportError.notAnExport) { try convert([ZipEntry(name, xml)]) }
        let outcome = try convert([ZipEntry(name, xml), ZipEntry("ok/export.xml", xml)])
        #expect(outcome.values == ["72"] && outcome.importReport.notRead["refused-path"] == 1)
    }

    @Test func sizesInADataDescriptorAndInZIP64AreRead() throws {
        for entry in [ZipEntry("a/export.xml", xml, hasDescriptor: true), ZipEntry("a/export.xml", xml, isZip64: true)]
        {
            #expect(try convert([ZipEntry("a/x.csv", [1]), entry]).values == ["72"])
        }
    }

    @Test func truncatedArchiveGivesItsUnpackedPart() throws {
        let body = (0..<2000).map {
            Exports.record(
                "HKQuantityTypeIdentifierHeartRate", "\($0 % 100 + 40)", start: "2018-09-10 02:28:\($0 % 50 + 10) -0700"
            )
        }
        let archive = ZipEntry.archive([ZipEntry("a/export.xml", Array(Exports.root(body.joined()).utf8))])
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("export.zip")
        try Data(archive.prefix(archive.count / 2)).write(to: file)
        let outcome = try Exports.convert(path: file.path)
        #expect(outcome.importReport.outcome == .truncated && outcome.importReport.problem?.code == "archive-damaged")
        #expect(outcome.importReport.read > 800 && outcome.importReport.read < 1100)
    }

    @Test func anArchiveWithoutAnExportAnEmptyOneAndAFolderWithoutOneAreErrors() throws {
        #expect(throws: ExportError.notAnExport) { try convert([ZipEntry("a.xml", Array("<a/>".utf8))]) }
        #expect(throws: ExportError.notAnExport) { try convert([]) }
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: ExportError.notAnExport) { try Exports.convert(path: folder.path) }
    }

    @Test(.enabled(if: Exports.hasPython)) func anArchiveThatUnpacksToFarMoreThanItsSizeIsRefused() throws {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("bomb.zip").path
        try Exports.python([
            "-c",
            "import sys,zipfile; zipfile.ZipFile(sys.argv[1],'w',zipfile.ZIP_DEFLATED).writestr('export.xml','<HealthData>'+' '*8000000)",
            file,
        ])
        let archive = try ZipArchive(path: file, ratioFloor: 1 << 20)
        _ = try archive.next()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        #expect(throws: ExportError.archiveTooLarge) { while try archive.read(into: buffer) > 0 {} }
    }

    @Test func aLinkInTheFolderIsNotFollowed() throws {
        let folder = try Exports.folder()
        let outside = try Exports.folder()
        defer {
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: outside)
        }
        try Data(xml).write(to: outside.appendingPathComponent("export.xml"))
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("export.xml"),
            withDestinationURL: outside.appendingPathComponent("export.xml"))
        #expect(throws: ExportError.notAnExport) { try Exports.convert(path: folder.path) }
    }
}

/// Writes ZIP archives with stored entries.
struct ZipEntry {
    let name: String
    let data: [UInt8]
    var hasDescriptor = false
    var isZip64 = false

    init(_ name: String, _ data: [UInt8], hasDescriptor: Bool = false, isZip64: Bool = false) {
        self.name = name
        self.data = data
        self.hasDescriptor = hasDescriptor
        self.isZip64 = isZip64
    }

    static func archive(_ entries: [ZipEntry]) -> [UInt8] {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let offset = body.count
            let name = Array(entry.name.utf8)
            let sum = crc32(entry.data)
            let flags = 0x800 | (entry.hasDescriptor ? 8 : 0)
            let size = entry.isZip64 ? 0xFFFF_FFFF : entry.data.count
            let wide =
                entry.isZip64
                ? bytes(1, 2) + bytes(16, 2) + bytes(entry.data.count, 8) + bytes(entry.data.count, 8) : []
            let head = bytes(entry.isZip64 ? 45 : 20, 2) + bytes(flags, 2) + bytes(0, 2) + bytes(0, 4)
            let known = bytes(sum, 4) + bytes(size, 4) + bytes(size, 4)
            let unknown = entry.hasDescriptor ? bytes(0, 12) : known
            body +=
                bytes(0x0403_4B50, 4) + head + unknown + bytes(name.count, 2) + bytes(wide.count, 2) + name + wide
                + entry.data
            if entry.hasDescriptor { body += bytes(0x0807_4B50, 4) + bytes(sum, 4) + bytes(size, 4) + bytes(size, 4) }
            directory +=
                bytes(0x0201_4B50, 4) + bytes(45, 2) + head + known + bytes(name.count, 2) + bytes(wide.count, 2)
            directory += bytes(0, 10) + bytes(offset, 4) + name + wide
        }
        let count = bytes(entries.count, 2)
        return body + directory + bytes(0x0605_4B50, 4) + bytes(0, 4) + count + count + bytes(directory.count, 4)
            + bytes(body.count, 4) + bytes(0, 2)
    }

    private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> ($0 * 8)) : 0 }
    }

    private static func crc32(_ data: [UInt8]) -> Int {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in data {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(~sum)
    }
}

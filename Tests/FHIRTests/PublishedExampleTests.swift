import FHIR
import Foundation
import TestSupport
import Testing

/// HL7's examples of R4, which are not part of the package.
@Suite(.enabled(if: PublishedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedExampleTests {
    @Test func everyExampleIsTheSameAfterReadingAndWriting() throws {
        let examples = try PublishedExamples()
        defer { examples.remove() }
        let files = examples.files()
        #expect(files.count == 377)
        for file in files {
            let original = Array(try Data(contentsOf: file))
            let value = try JSON(original)
            let resource = try Resource(original)
            let written = value.bytes()
            #expect(resource.json == value)
            #expect(try JSON(written) == value, "\(file.lastPathComponent)")
            #expect(try JSON(value.bytes(.pretty)) == value, "\(file.lastPathComponent)")
            // Escapes can be written in several ways; without them the texts are equal, byte for byte.
            if !original.contains(UInt8(ascii: "\\")) {
                #expect(written == PublishedExamples.withoutSpace(original), "\(file.lastPathComponent)")
            }
            try Data(written).write(to: file.appendingPathExtension("again"))
        }
        try expectPythonReadsTheSame(files)
    }

    /// The view of each type knows all elements in the examples of the type: a new resource made from the values of its
    /// properties equals the example, except for the order of members. Setting the properties to their own values
    /// changes nothing.
    @Test func everyExampleIsReadThroughItsView() throws {
        let examples = try PublishedExamples()
        defer { examples.remove() }
        let seen = try expectViewsKnowAll(examples.files())
        #expect(seen.count == 31)
    }

    /// The same for the definitions; one of 25, since there are thousands.
    @Test func definitionsAreReadThroughTheirViews() throws {
        let definitions = try PublishedExamples(folder: "definitions")
        defer { definitions.remove() }
        let files = definitions.files().enumerated().filter { index, file in
            index.isMultiple(of: 25) || file.lastPathComponent.hasPrefix("CapabilityStatement")
        }
        let seen = try expectViewsKnowAll(files.map(\.element))
        #expect(
            seen == ["CapabilityStatement", "CodeSystem", "SearchParameter", "StructureDefinition", "ValueSet"])
    }

    /// - Returns: The types of the resources that have a view.
    private func expectViewsKnowAll(_ files: [URL]) throws -> Set<String> {
        var seen: Set<String> = []
        for file in files {
            // The package's list of contents is not a resource.
            guard let resource = try? Resource(Array(try Data(contentsOf: file))),
                let view = Pass.views[resource.resourceType]
            else { continue }
            seen.insert(resource.resourceType)
            let same = try view.passed(resource.object, Pass(isFresh: false))
            #expect(same == resource.object, "\(file.lastPathComponent)")
            let fresh = try view.passed(resource.object, Pass(isFresh: true))
            #expect(JSON.object(fresh).sorted == resource.json.sorted, "\(file.lastPathComponent)")
        }
        return seen
    }

    /// Python's parser, an independent implementation, keeps numbers as their text and members as ordered pairs.
    private func expectPythonReadsTheSame(_ files: [URL]) throws {
        let script = """
            import json, sys
            def read(path):
                with open(path, "rb") as file:
                    return json.loads(file.read().decode("utf-8-sig"), parse_float=lambda text: ("number", text),
                                      parse_int=lambda text: ("number", text), object_pairs_hook=lambda pairs: ("object", pairs))
            different = [path for path in sys.argv[1:] if read(path) != read(path + ".again")]
            print(len(sys.argv) - 1, *different)
            """
        let python = Process()
        let output = Pipe()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", "-c", script] + files.map(\.path)
        python.standardOutput = output
        try python.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        python.waitUntilExit()
        #expect(String(decoding: printed, as: UTF8.self) == "\(files.count)\n")
        #expect(python.terminationStatus == 0)
    }
}

/// HL7's package of definitions and examples, unpacked for a test.
struct PublishedExamples {
    /// The archive, or nil if the published data are not present.
    static let archive = PublishedData.url("fhir-r4.tar.xz")

    private let unpacked: TemporaryFolder

    /// - Parameter folder: `examples` or `definitions`.
    init(folder: String = "examples") throws {
        unpacked = try PublishedData.unpacked("fhir-r4.tar.xz", ["fhir-r4/" + folder])
    }

    func files() -> [URL] { PublishedData.files(below: unpacked.url) }

    func remove() { unpacked.remove() }

    /// Returns the bytes without the space between tokens and without a byte order mark, by a minimal independent
    /// reader.
    static func withoutSpace(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var isInString = false
        for byte in bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...] {
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            if isInString || byte > 0x20 { output.append(byte) }
        }
        return output
    }
}

import Foundation
import TestSupport

/// HL7's package of definitions and examples, unpacked for a test.
struct PublishedExamples {
    /// The archive, or nil if the published data are not present.
    static let archive = PublishedData.url("fhir-r4.tar.xz")

    private let unpacked: TemporaryFolder

    init(_ members: [String] = ["fhir-r4/examples"]) throws {
        unpacked = try PublishedData.unpacked("fhir-r4.tar.xz", members)
    }

    func files() -> [URL] { PublishedData.files(below: unpacked.url) }

    func remove() { unpacked.remove() }
}

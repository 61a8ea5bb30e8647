import Foundation

/// Gives what the study publishes: its forms, their value sets, and its consent before anybody signs it. The receiver passes
/// the bytes on and reads no FHIR.
public struct PublishedReading: Sendable {
    /// The types of resources that are published.
    public static let types = ["Questionnaire", "ValueSet", "Contract"]

    /// A resource, or a Bundle of what was found, in a release of FHIR.
    public struct Answer: Sendable {
        public let bytes: Data
        public let release: FHIRRelease

        public init(bytes: Data, release: FHIRRelease) {
            self.bytes = bytes
            self.release = release
        }
    }

    /// A search among the published resources of a type.
    public struct Search: Sendable {
        /// The type.
        public let type: String
        /// The release of FHIR that is asked for.
        public let release: FHIRRelease
        /// What is asked for, without what pages the answer.
        public let parameters: [(name: String, value: String)]
        /// The matches of a page.
        public let count: Int
        /// The matches that earlier pages showed.
        public let offset: Int
        /// The address below which the types are found, as the client wrote it.
        public let address: String

        public init(
            type: String, release: FHIRRelease, parameters: [(name: String, value: String)], count: Int, offset: Int,
            address: String
        ) {
            self.type = type
            self.release = release
            self.parameters = parameters
            self.count = count
            self.offset = offset
            self.address = address
        }
    }

    /// Gives a resource by type and id: the file of the release that is asked for, byte for byte, else what is nearest to it.
    public let read: @Sendable (_ type: String, _ id: String, _ release: FHIRRelease) async throws -> Answer?
    /// Gives a page of a search as a Bundle.
    public let search: @Sendable (Search) async throws -> Answer

    public init(
        read: @escaping @Sendable (_ type: String, _ id: String, _ release: FHIRRelease) async throws -> Answer?,
        search: @escaping @Sendable (Search) async throws -> Answer
    ) {
        self.read = read
        self.search = search
    }
}

import Foundation

/// Access to the study's published resources: its forms, their value sets, and its consent for signing. The receiver
/// passes the bytes on and reads no FHIR.
package struct PublishedReading: Sendable {
    /// Published resource types.
    package static let types = ["Questionnaire", "ValueSet", "Contract"]

    /// A resource, or a Bundle of search results, in a release of FHIR.
    package struct Answer: Sendable {
        package let bytes: Data
        package let release: FHIRRelease

        package init(bytes: Data, release: FHIRRelease) {
            self.bytes = bytes
            self.release = release
        }
    }

    /// A search among the published resources of a type.
    package struct Search: Sendable {
        /// Resource type.
        package let type: String
        /// Requested release of FHIR.
        package let release: FHIRRelease
        /// Search parameters, without those for paging.
        package let parameters: [(name: String, value: String)]
        /// Matches per page.
        package let count: Int
        /// Number of matches on earlier pages.
        package let offset: Int
        /// Base URL of the types, as the client sees it.
        package let address: String

        package init(
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

    /// Returns a resource by type and id: the file of the requested release unchanged, otherwise the closest one.
    package let read: @Sendable (_ type: String, _ id: String, _ release: FHIRRelease) async throws -> Answer?
    /// Returns a page of a search as a Bundle.
    package let search: @Sendable (Search) async throws -> Answer

    package init(
        read: @escaping @Sendable (_ type: String, _ id: String, _ release: FHIRRelease) async throws -> Answer?,
        search: @escaping @Sendable (Search) async throws -> Answer
    ) {
        self.read = read
        self.search = search
    }
}

import FHIR

/// The profiles that R4 publishes, such as those of vital signs (<https://hl7.org/fhir/R4/profilelist.html>).
///
/// Each line of the text is the differential of one profile as JSON, reduced to what validation uses.
struct StandardProfiles: Sendable {
    static let r4 = StandardProfiles(r4Text)

    private let byURL: [String: Profile]

    init(_ text: StaticString) {
        var found: [String: Profile] = [:]
        for line in text.description.split(separator: "\n") {
            guard let definition = try? JSON(line.utf8).object else { continue }
            let profile = ProfileReader.read(definition)
            found[profile.url] = profile
        }
        byURL = found
    }

    func profile(_ url: String) -> Profile? { byURL[url] }

    /// All profiles, ordered by their URLs.
    var all: [Profile] { byURL.values.sorted { $0.url < $1.url } }
}

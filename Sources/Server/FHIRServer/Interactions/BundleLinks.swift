import Core
import FHIR
import FHIRSearch

/// The targets of links in a transaction's resources that are not addresses on this server: links to other entries, and
/// references by a search (<https://hl7.org/fhir/R4/http.html#trules>).
struct BundleLinks: Sendable {
    /// The resource of an entry.
    private struct Entry: Sendable {
        /// `Type/id`.
        let address: String
        /// The version that the transaction writes.
        let version: Int64
    }

    /// The entries by their fullUrls, without versions.
    private var entries: [String: Entry] = [:]
    /// `Type/id` by the reference as written.
    private var searched: [String: String] = [:]
    private let ownBase: String

    /// - Parameter ownBase: the base URL of this server, without a final slash.
    /// - Throws: ``WriteRefusal`` where two entries have the same fullUrl.
    init(_ plans: [PlannedWrite], ownBase: String) throws {
        self.ownBase = ownBase
        var indices: [String: Int] = [:]
        for (index, plan) in plans.enumerated() where !plan.request.isDeletion {
            guard let url = plan.request.fullURL, !url.isEmpty else { continue }
            let key = Self.key(Self.parts(url).url)
            guard indices.updateValue(index, forKey: key) == nil else {
                var refusal = WriteRefusal(.fullURLTwice, plan.target)
                refusal.index = index
                throw refusal
            }
            entries[key] = Entry(address: "\(plan.request.type)/\(plan.id)", version: plan.nextVersion)
        }
    }

    /// Whether no link has another target than its own text.
    var isEmpty: Bool { entries.isEmpty && searched.isEmpty }

    /// Sets the target of a reference by a search.
    mutating func setTarget(_ address: String, of reference: String) { searched[reference] = address }

    /// Returns the stored form of a link; nil for a link that is not replaced.
    ///
    /// - Parameter base: the base URL of the entry's fullUrl, against which a relative link is resolved
    ///   (<https://hl7.org/fhir/R4/bundle.html#references>); nil where the fullUrl has none.
    func target(of link: String, base: String?) -> String? {
        if let target = searched[link] { return target }
        guard !entries.isEmpty, !link.hasPrefix("#") else { return nil }
        if let entry = entries[Self.key(link)] { return entry.address }
        // 1. A fragment or a query after the address stays.
        let mark = link.firstIndex { $0 == "#" || $0 == "?" } ?? link.endIndex
        let (url, version) = Self.parts(String(link[..<mark]))
        // 2. As written, or resolved against the entry's own base URL.
        var entry = entries[Self.key(url)]
        if entry == nil, let base, let literal = LiteralReference(url), literal.base == nil {
            entry = entries["\(base)/\(literal.type)/\(literal.id)"]
        }
        guard let entry else { return nil }
        // 3. A versioned link stays versioned, with the version that the transaction writes.
        let ofVersion = version ? "/_history/\(entry.version)" : ""
        return entry.address + ofVersion + link[mark...]
    }

    /// Returns the search in a reference such as `Patient?identifier=a|b`, relative or at this server; nil for any
    /// other.
    func search(_ reference: String) -> (type: String, query: String)? {
        let relative = reference.hasPrefix(ownBase + "/") ? reference.dropFirst(ownBase.utf8.count + 1) : reference[...]
        guard let mark = relative.firstIndex(of: "?") else { return nil }
        let type = String(relative[..<mark])
        guard Resource.isTypeName(type), RecordType.isHeld(type) else { return nil }
        return (type, String(relative[relative.index(after: mark)...]))
    }

    /// Returns the base URL of an entry whose fullUrl is the address of a resource; nil for `urn:` and all others.
    static func base(ofFullURL url: String?) -> String? {
        guard let url, url.hasPrefix("http://") || url.hasPrefix("https://") else { return nil }
        return LiteralReference(url)?.base
    }

    /// Returns an address without its version, and whether it has one.
    private static func parts(_ url: String) -> (url: String, hasVersion: Bool) {
        guard let mark = url.firstRange(of: "/_history/"), LiteralReference(url) != nil else { return (url, false) }
        return (String(url[..<mark.lowerBound]), true)
    }

    /// UUIDs are not case-sensitive (RFC 9562 section 4).
    private static func key(_ url: String) -> String {
        url.utf8.count == 45 && url.lowercased().hasPrefix("urn:uuid:") ? url.lowercased() : url
    }
}

extension PlannedWrite {
    /// The version after the write; for an unchanged resource the current one.
    var nextVersion: Int64 {
        guard let present else { return 1 }
        return isSettled ? present.record.version : present.nextVersion
    }
}

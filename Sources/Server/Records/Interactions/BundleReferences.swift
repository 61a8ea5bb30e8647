import Core
import FHIR
import Storage
import Trust

/// The references between the entries of a transaction, and those that a search resolves
/// (<https://hl7.org/fhir/R4/http.html#trules>).
enum BundleReferences {
    /// What references mean that are no addresses of this server: those to other entries, and searches.
    ///
    /// - Returns: `Type/id` by the reference as it is written.
    /// - Throws: ``WriteRefusal`` where a search does not find exactly one.
    static func targets(
        of plans: [PlannedWrite], _ planner: WritePlanner, in transaction: any SQLTransaction
    ) throws -> [String: String] {
        // 1. Entries of the Bundle.
        var targets: [String: String] = [:]
        for plan in plans where !plan.request.isDeletion {
            guard let url = plan.request.fullURL, !url.isEmpty else { continue }
            guard targets.updateValue("\(plan.request.type)/\(plan.id)", forKey: url) == nil else {
                var refusal = WriteRefusal(.fullURLTwice, plan.target)
                refusal.place = plans.firstIndex { $0.request.fullURL == url }
                throw refusal
            }
        }
        guard plans.contains(where: { $0.request.isOfBundle }) else { return targets }
        // 2. Searches, each once.
        var searches = 0
        for (place, plan) in plans.enumerated() {
            guard !plan.isSettled, let resource = plan.resource else { continue }
            var written: Set<String> = []
            collect(.object(resource.object), &written)
            for text in written.sorted() where targets[text] == nil {
                guard let (type, query) = search(text) else { continue }
                searches += 1
                do {
                    guard searches <= mostSearches else { throw WriteRefusal(.tooManyReferences, plan.target) }
                    guard let criteria = PercentEncoding.fields(query),
                        let found = try planner.matches(type, criteria, plan.target, in: transaction).first
                    else { throw WriteRefusal(.referenceUnresolved, plan.target) }
                    targets[text] = "\(type)/\(found)"
                } catch var refusal as WriteRefusal {
                    refusal.place = place
                    throw refusal
                }
            }
        }
        return targets
    }

    /// So many references of one Bundle are resolved by a search.
    private static let mostSearches = 200

    /// - Throws: ``RecordsFailure`` where two entries mean one resource.
    static func requireDistinct(_ plans: [PlannedWrite]) throws {
        var seen: Set<String> = []
        for (place, plan) in plans.enumerated() {
            if plan.isSettled, plan.request.isDeletion { continue }
            // Neither finds what the other one makes.
            if let criteria = plan.request.criteria, plan.matches?.isEmpty == true {
                let text = criteria.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&")
                guard seen.insert("\(plan.request.type)?\(text)").inserted else {
                    var refusal = WriteRefusal(.namedTwice, plan.target)
                    refusal.place = place
                    throw refusal
                }
            }
            guard seen.insert("\(plan.request.type)/\(plan.id)").inserted else {
                var refusal = WriteRefusal(.namedTwice, plan.target)
                refusal.place = place
                throw refusal
            }
        }
    }

    /// The resource with its references as they are stored.
    static func rewritten(_ resource: Resource, _ targets: [String: String]) -> Resource {
        guard let object = rewritten(.object(resource.object), targets).object else { return resource }
        return Resource(object)
    }

    private static func rewritten(_ json: JSON, _ targets: [String: String]) -> JSON {
        switch json {
        case .array(let items): return .array(items.map { rewritten($0, targets) })
        case .object(var object):
            for member in object.members {
                if member.key == "reference", let text = member.value.string {
                    if let target = target(of: text, targets) { object["reference"] = .string(target) }
                } else if let text = member.value.string {
                    // An attachment's url may name an entry too; an identifier's value is not one of this server's.
                    if member.key == "url", text.hasPrefix("urn:"), let target = targets[text] {
                        object["url"] = .string(target)
                    }
                } else {
                    object[member.key] = rewritten(member.value, targets)
                }
            }
            return .object(object)
        default: return json
        }
    }

    /// A fragment behind the reference stays.
    private static func target(of text: String, _ targets: [String: String]) -> String? {
        if let target = targets[text] { return target }
        guard let mark = text.firstIndex(of: "#"), let target = targets[String(text[..<mark])] else { return nil }
        return target + text[mark...]
    }

    private static func collect(_ json: JSON, _ written: inout Set<String>) {
        switch json {
        case .array(let items): for item in items { collect(item, &written) }
        case .object(let object):
            for member in object.members {
                if member.key == "reference", let text = member.value.string {
                    written.insert(text)
                } else {
                    collect(member.value, &written)
                }
            }
        default: return
        }
    }

    /// `Patient?identifier=a|b`.
    private static func search(_ text: String) -> (type: String, query: String)? {
        guard let mark = text.firstIndex(of: "?") else { return nil }
        let type = String(text[..<mark])
        guard Resource.isTypeName(type), RecordType.isHeld(type) else { return nil }
        return (type, String(text[text.index(after: mark)...]))
    }
}

extension WriteRequest {
    /// Whether it came in a Bundle, where references may be searches.
    var isOfBundle: Bool { fullURL != nil }
}

import FHIR

/// Allocates ids for the contained resources of a resource.
struct ContainedNames {
    private var taken: Set<String> = []
    /// For the beginning of an id: the first number that may be free.
    private var numbers: [String: Int] = [:]

    init() {}

    init(of object: JSONObject) {
        taken = Set((object["contained"]?.array ?? []).compactMap { $0["id"]?.string })
    }

    /// Returns an unused id that is as similar to the wanted one as possible, and marks it as used.
    mutating func free(like wanted: String) -> String {
        let wanted = wanted.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
        var id = String(wanted.prefix(60))
        if taken.contains(id) {
            let stem = String(wanted.prefix(56))
            var number = numbers[stem] ?? 2
            id = stem + "-\(number)"
            while taken.contains(id) {
                number += 1
                id = stem + "-\(number)"
            }
            numbers[stem] = number
        }
        taken.insert(id)
        return id
    }
}

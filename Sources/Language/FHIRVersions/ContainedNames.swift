import FHIR

/// The ids that the contained resources of a resource have, and those that are free.
struct ContainedNames {
    private var taken: Set<String> = []
    /// For the beginning of an id, the number from which on ids may be free.
    private var numbers: [String: Int] = [:]

    init() {}

    init(of object: JSONObject) {
        taken = Set((object["contained"]?.array ?? []).compactMap { $0["id"]?.string })
    }

    /// An id that no other one has, as close to the wanted one as it may be. It is taken from now on.
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

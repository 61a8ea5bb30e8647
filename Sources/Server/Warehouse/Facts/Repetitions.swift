import FHIR

/// The numbers of the repetitions in a response. What stands in one repetition of a group has one number, and what stands
/// in another has another; so that i2b2 can tell which answers belong together (`instance_num`).
///
/// A repetition is told by the response alone: an item that comes again beside itself, or an answer that has items of its
/// own and is not the first. The first goes on with the number of what it stands in.
struct Repetitions {
    /// The number of what stands in no repetition, or in the first.
    static let first = 1

    private var last = Repetitions.first
    /// The items that came beside each other.
    struct Siblings {
        fileprivate var met: Set<String> = []
    }

    /// The number of an item among its siblings.
    ///
    /// - Parameter outer: the number of what they stand in.
    mutating func number(of linkID: String, among siblings: inout Siblings, in outer: Int) -> Int {
        siblings.met.insert(linkID).inserted ? outer : next()
    }

    /// The number of an answer of an item.
    mutating func number(ofAnswer index: Int, hasItems: Bool, in outer: Int) -> Int {
        index == 0 || !hasItems ? outer : next()
    }

    private mutating func next() -> Int {
        last += 1
        return last
    }

    /// How many there are in a response.
    static func count(in items: [QuestionnaireResponse.Item]) -> Int {
        var repetitions = Repetitions()
        repetitions.walk(items)
        return repetitions.last
    }

    private mutating func walk(_ items: [QuestionnaireResponse.Item]) {
        var siblings = Siblings()
        for item in items {
            guard let linkID = item.linkId else { continue }
            _ = number(of: linkID, among: &siblings, in: Self.first)
            for (index, answer) in item.answer.enumerated() {
                _ = number(ofAnswer: index, hasItems: !answer.item.isEmpty, in: Self.first)
                walk(answer.item)
            }
            walk(item.item)
        }
    }
}

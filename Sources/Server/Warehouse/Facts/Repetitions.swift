import FHIR

/// The numbers of the repetitions in a response. All answers in one repetition of a group have one number, and those
/// in another have another, so that i2b2 can find answers that belong together (`instance_num`).
///
/// Only the response defines repetitions: an item that occurs again among its siblings, or an answer after the first
/// that has items. The first continues with the number of the repetition that contains it.
struct Repetitions {
    /// The number outside of repetitions, and of the first one.
    static let first = 1

    private var last = Repetitions.first
    /// The siblings that were already visited.
    struct Siblings {
        fileprivate var met: Set<String> = []
    }

    /// Returns the number of an item among its siblings.
    ///
    /// - Parameter outer: the number of the repetition that contains them.
    mutating func number(of linkID: String, among siblings: inout Siblings, in outer: Int) -> Int {
        siblings.met.insert(linkID).inserted ? outer : next()
    }

    /// Returns the number of an answer of an item.
    mutating func number(ofAnswer index: Int, hasItems: Bool, in outer: Int) -> Int {
        index == 0 || !hasItems ? outer : next()
    }

    private mutating func next() -> Int {
        last += 1
        return last
    }

    /// Returns the number of repetitions in a response.
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

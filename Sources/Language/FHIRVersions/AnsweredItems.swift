import FHIR

/// Index of the questions with answers among the items of a response, so that further answers to a question are joined
/// without a search through all items.
struct AnsweredItems {
    private struct Question: Hashable {
        let linkID: JSON?
        let text: JSON?
    }

    private var indices: [Question: Int] = [:]
    /// Number of items that are indexed.
    private var seen = 0

    /// Returns the index of the first item with answers to the same question.
    mutating func index(like item: JSON, in items: [JSON]) -> Int? {
        for index in seen..<max(seen, items.count) where items[index]["answer"] != nil {
            let question = AnsweredItems.question(items[index])
            if indices[question] == nil { indices[question] = index }
        }
        seen = max(seen, items.count)
        return indices[AnsweredItems.question(item)]
    }

    private static func question(_ item: JSON) -> Question { Question(linkID: item["linkId"], text: item["text"]) }
}

extension ConversionOutput {
    /// Returns the index of an item with answers that has the same `linkId` and the same text.
    mutating func answeredItem(like item: JSON) -> Int? {
        answered.index(like: item, in: object["item"]?.array ?? [])
    }

    /// Adds answers to an item.
    mutating func join(_ answers: [JSON], toItem index: Int) {
        object.update("item") { items in
            items.withElements { items in
                items[index].withMembers { item in
                    item.update("answer") { answer in answer.withElements { $0.append(contentsOf: answers) } }
                }
            }
        }
    }
}

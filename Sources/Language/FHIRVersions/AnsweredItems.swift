import FHIR

/// Where the questions that have answers stand among the items of a response, so that further answers to one of them
/// are joined to it without a look at all the others.
struct AnsweredItems {
    private struct Question: Hashable {
        let linkID: JSON?
        let text: JSON?
    }

    private var places: [Question: Int] = [:]
    /// How many items were looked at.
    private var seen = 0

    /// The place of the first item with answers that asks the same as another one.
    mutating func place(like item: JSON, in items: [JSON]) -> Int? {
        for place in seen..<max(seen, items.count) where items[place]["answer"] != nil {
            let question = AnsweredItems.question(items[place])
            if places[question] == nil { places[question] = place }
        }
        seen = max(seen, items.count)
        return places[AnsweredItems.question(item)]
    }

    private static func question(_ item: JSON) -> Question { Question(linkID: item["linkId"], text: item["text"]) }
}

extension ConversionOutput {
    /// The place of an item with answers that has the same `linkId` and the same text.
    mutating func answeredItem(like item: JSON) -> Int? {
        answered.place(like: item, in: object["item"]?.array ?? [])
    }

    /// Adds answers to those of an item.
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

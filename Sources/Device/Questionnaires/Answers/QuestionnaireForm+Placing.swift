import FHIR

extension QuestionnaireForm {
    /// A response with each answered question at the path where the form has it. Apps for ResearchKit and apps of older releases
    /// of FHIR send questions without the groups around them, or the groups inside out.
    ///
    /// It is returned as it came where everything is at its path, and where the path is not clear: an answered item is unknown
    /// or occurs twice, or belongs below a question that does not have exactly one answer.
    public func placing(_ response: QuestionnaireResponse) -> QuestionnaireResponse {
        var found = PlacedItems(self)
        found.add(response.item, below: [])
        guard found.isClear, found.isMisplaced else { return response }
        guard let items = found.items(of: items) else { return response }
        var placed = response
        placed.item = items
        return placed
    }
}

/// The questions of a response, to be put where the form has them.
private struct PlacedItems {
    private let form: QuestionnaireForm
    /// The linkIds of the items above each question, outermost first.
    private var parents: [String: [String]] = [:]
    /// The linkIds that the form has twice: no path of theirs is clear.
    private var repeated: Set<String> = []
    private var answered: [String: QuestionnaireResponse.Item] = [:]
    private var last = -1
    /// Whether each answered item has one path.
    private(set) var isClear = true
    /// Whether an item is elsewhere than the form has it.
    private(set) var isMisplaced = false

    init(_ form: QuestionnaireForm) {
        self.form = form
        collect(form.items, below: [])
    }

    private mutating func collect(_ items: [FormItem], below parents: [String]) {
        for item in items {
            if item.isQuestion {
                if self.parents[item.linkID] != nil { repeated.insert(item.linkID) }
                self.parents[item.linkID] = parents
            }
            collect(item.children, below: parents + [item.linkID])
        }
    }

    mutating func add(_ items: [QuestionnaireResponse.Item], below parents: [String]) {
        for item in items {
            let linkID = item.linkId ?? ""
            if let known = form.item(linkID), known.isQuestion {
                guard let path = self.parents[linkID], answered[linkID] == nil, !repeated.contains(linkID) else {
                    isClear = false
                    return
                }
                isMisplaced = isMisplaced || path != parents || known.index < last
                last = known.index
                answered[linkID] = item
            } else {
                // An item with answers is no group, and a question that the form does not have is reported as such.
                if item["answer"] != nil { isClear = false }
                add(item.item, below: parents + [linkID])
            }
        }
    }

    /// The items of the form that are answered, or contain one that is; nil where one has no clear path.
    func items(of items: [FormItem]) -> [QuestionnaireResponse.Item]? {
        var found: [QuestionnaireResponse.Item] = []
        for item in items {
            guard let inner = self.items(of: item.children) else { return nil }
            if item.isQuestion {
                guard var own = answered[item.linkID] else {
                    // An item below a question without an answer.
                    guard inner.isEmpty else { return nil }
                    continue
                }
                if !inner.isEmpty {
                    guard own.answer.count == 1, own.answer[0].item.isEmpty else { return nil }
                    own.answer[0].item = inner
                }
                found.append(own)
            } else if !inner.isEmpty {
                var group = QuestionnaireResponse.Item(JSONObject())
                group.linkId = item.linkID
                group.text = item.text
                group.item = inner
                found.append(group)
            }
        }
        return found
    }
}

import FHIR

extension QuestionnaireForm {
    /// Returns a response with each answered question at its path in the form. Apps that use ResearchKit or older FHIR
    /// releases send questions without the groups around them, or with groups in the wrong order.
    ///
    /// The response is returned unchanged if everything is at its path, or if a path is ambiguous: an answered item is
    /// unknown or occurs twice, or belongs below a question that does not have exactly one answer.
    public func arranging(_ response: QuestionnaireResponse) -> QuestionnaireResponse {
        var found = ItemArrangement(self)
        found.add(response.item, below: [])
        guard found.isClear, found.isMisplaced else { return response }
        guard let items = found.items(of: items) else { return response }
        var arranged = response
        arranged.item = items
        return arranged
    }
}

/// The questions of a response, to be moved to their paths in the form.
private struct ItemArrangement {
    private let form: QuestionnaireForm
    /// The linkIds of the items above each question, outermost first.
    private var parents: [String: [String]] = [:]
    /// The linkIds that occur twice in the form: their paths are ambiguous.
    private var repeated: Set<String> = []
    private var answered: [String: QuestionnaireResponse.Item] = [:]
    private var last = -1
    /// Whether each answered item has exactly one path.
    private(set) var isClear = true
    /// Whether an item is at another path than in the form.
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
                // An item with answers is not a group, and a question that the form does not have is reported as an
                // unknown question.
                if item["answer"] != nil { isClear = false }
                add(item.item, below: parents + [linkID])
            }
        }
    }

    /// Returns the items of the form that are answered or contain an answered item; nil if a path is ambiguous.
    func items(of items: [FormItem]) -> [QuestionnaireResponse.Item]? {
        var found: [QuestionnaireResponse.Item] = []
        for item in items {
            guard let inner = self.items(of: item.children) else { return nil }
            if item.isQuestion {
                guard var own = answered[item.linkID] else {
                    // The question has no answer for the items below it.
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

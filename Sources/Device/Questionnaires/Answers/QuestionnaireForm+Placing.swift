import FHIR

extension QuestionnaireForm {
    /// A response with each answered question where the form has it. Apps of older releases of FHIR send questions without the
    /// groups around them, or those inside out.
    ///
    /// It is returned as it came where everything is in its place, and where the place is not clear: an answered item is
    /// unknown or there twice, or stands below a question or a group that repeats.
    public func placing(_ response: QuestionnaireResponse) -> QuestionnaireResponse {
        var found = PlacedItems(self)
        found.add(response.item, below: [])
        guard found.isClear, found.isMisplaced else { return response }
        var placed = response
        placed.item = found.items(of: items)
        return placed
    }
}

/// The questions of a response, to be laid where the form has them.
private struct PlacedItems {
    private let form: QuestionnaireForm
    /// The linkIds of the groups around each question that stands in no group that repeats, outermost first.
    private var groups: [String: [String]] = [:]
    private var answered: [String: QuestionnaireResponse.Item] = [:]
    private var last = -1
    /// Whether each answered item has one place.
    private(set) var isClear = true
    /// Whether an item stands elsewhere than the form has it.
    private(set) var isMisplaced = false

    init(_ form: QuestionnaireForm) {
        self.form = form
        note(form.items, below: [])
    }

    private mutating func note(_ items: [FormItem], below parents: [String]) {
        for item in items {
            if item.isQuestion { groups[item.linkID] = parents }
            if item.type == .group, !item.repeats { note(item.children, below: parents + [item.linkID]) }
        }
    }

    mutating func add(_ items: [QuestionnaireResponse.Item], below parents: [String]) {
        for item in items {
            let linkID = item.linkId ?? ""
            if let known = form.item(linkID), known.isQuestion {
                guard let place = groups[linkID], answered[linkID] == nil else {
                    isClear = false
                    return
                }
                isMisplaced = isMisplaced || place != parents || known.index < last
                last = known.index
                answered[linkID] = item
            } else {
                // What has answers is no group, and a question that the form has not is told as such.
                if item["answer"] != nil { isClear = false }
                add(item.item, below: parents + [linkID])
            }
        }
    }

    /// The items of the form that are answered, or hold one that is.
    func items(of items: [FormItem]) -> [QuestionnaireResponse.Item] {
        items.compactMap { item in
            if item.isQuestion { return answered[item.linkID] }
            let inner = item.type == .group ? self.items(of: item.children) : []
            guard !inner.isEmpty else { return nil }
            var group = QuestionnaireResponse.Item(JSONObject())
            group.linkId = item.linkID
            group.text = item.text
            group.item = inner
            return group
        }
    }
}

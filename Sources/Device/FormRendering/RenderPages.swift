import FHIR
import Questionnaires

/// Divides the elements of a form into pages.
struct RenderPages {
    private struct Draft {
        let path: ItemPath
        var group: RenderPlan.Section?
        var elements: [RenderPlan.Element] = []
        /// The headings of the groups around the page, outermost first.
        var around: [RenderPlan.Section] = []
        /// Whether the page is a group with the control `page` inside of another.
        var isInner = false
    }

    private let session: FormSession
    private var drafts: [Draft] = []

    static func pages(of session: FormSession, scope: RenderScope) -> [RenderPlan.Page] {
        var pages = RenderPages(session: session)
        for visit in RenderWalk(session, scope: scope) {
            if let element = session.element(of: visit) { pages.add(element) }
        }
        let notes = session.notes(session.form.items, below: [])
        return pages.drafts.filter { !$0.elements.isEmpty || ($0.group?.notes.isEmpty == false) }.map { draft in
            let notes = notes + draft.around.flatMap(\.notes) + (draft.group?.notes ?? [])
            func texts(_ role: RenderRole) -> [RenderText] { notes.filter { $0.role == role }.map(\.text) }
            return RenderPlan.Page(
                path: draft.path, group: draft.group, header: texts(.header), footer: texts(.footer),
                elements: draft.elements)
        }
    }

    private init(session: FormSession) { self.session = session }

    private mutating func add(_ element: RenderPlan.Element) {
        let path = element.path
        if path.steps.count == 1 {
            switch element {
            case .section(let section):
                drafts.append(Draft(path: path, group: section))
                return
            case .answer: break
            case .repetition(let repetition):
                // The offer to repeat a group is on the page of its last instance.
                if drafts.last?.path.steps.first?.linkID != repetition.linkID { drafts.append(Draft(path: path)) }
            case .text, .question: drafts.append(Draft(path: path))
            }
        } else if case .section(let section) = element, section.control == .page, isDivided(above: path),
            let top = drafts.last
        {
            let outer = top.isInner ? top.around : top.around + [top.group].compactMap { $0 }
            drafts.append(Draft(path: path, group: section, around: outer, isInner: true))
            return
        } else if let last = drafts.last, last.isInner, !path.isBelow(last.path) {
            // The rest of the group around the page.
            drafts.append(
                Draft(path: path, group: last.around.last, around: Array(last.around.dropLast()), isInner: false))
        }
        guard !drafts.isEmpty else { return }
        drafts[drafts.count - 1].elements.append(element)
    }

    /// Whether the groups around a path are divided into pages: none of them repeats, and none is a list.
    private func isDivided(above path: ItemPath) -> Bool {
        path.steps.dropLast().allSatisfy { step in
            guard let item = session.form.item(step.linkID), item.type == .group else { return false }
            return !item.repeats && !(item.hints?.controls.contains(RenderGroupControl.list.rawValue) ?? false)
        }
    }
}

extension ItemPath {
    /// Whether the path is that of an item below another path.
    func isBelow(_ other: ItemPath) -> Bool {
        steps.count > other.steps.count && steps.starts(with: other.steps)
    }
}

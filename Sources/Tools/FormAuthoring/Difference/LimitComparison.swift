import FHIR
import Foundation
import Questionnaires

/// Compares the limits of the answers of an item.
struct LimitComparison {
    let old: FormOutline.Node
    let new: FormOutline.Node
    let context: ComparisonContext

    private static let tightened = "Earlier answers can be outside of the limit."
    private static let loosened = "Earlier answers are inside of the limit."

    var changes: [FormChange] {
        let (former, now) = (old.item.limits, new.item.limits)
        var changes: [FormChange] = []
        func number(_ element: String, from left: Decimal?, to right: Decimal?, isMaximum: Bool) {
            guard left != right else { return }
            let isLoose = right.map { right in left.map { isMaximum ? $0 < right : $0 > right } ?? false } ?? true
            changes.append(
                FormChange(
                    isLoose ? .compatible : .breaking, element, linkID: new.item.linkID, old: Self.json(left),
                    new: Self.json(right), reason: isLoose ? Self.loosened : Self.tightened))
        }
        func integer(_ element: String, from left: Int?, to right: Int?, isMaximum: Bool) {
            number(element, from: left.map { Decimal($0) }, to: right.map { Decimal($0) }, isMaximum: isMaximum)
        }
        integer("maxLength", from: former.maxLength, to: now.maxLength, isMaximum: true)
        integer("minLength", from: former.minLength, to: now.minLength, isMaximum: false)
        integer("maxDecimalPlaces", from: former.maxDecimalPlaces, to: now.maxDecimalPlaces, isMaximum: true)
        integer("minOccurs", from: former.minOccurs, to: now.minOccurs, isMaximum: false)
        integer("maxOccurs", from: former.maxOccurs, to: now.maxOccurs, isMaximum: true)
        number("maxSize", from: former.maxSize, to: now.maxSize, isMaximum: true)
        changes += pattern
        changes += list(
            "mimeType", from: Set(former.mimeTypes.map { $0.lowercased() }),
            to: Set(now.mimeTypes.map { $0.lowercased() }))
        changes += list("referenceResource", from: Set(former.referenceTypes), to: Set(now.referenceTypes))
        changes += range("minValue", urls: FormExtension.minima, isMaximum: false)
        changes += range("maxValue", urls: FormExtension.maxima, isMaximum: true)
        changes += UnitComparison(old: old, new: new, context: context).changes
        return changes
    }

    private static func json(_ number: Decimal?) -> JSON? {
        number.flatMap { JSONNumber($0) }.map { .number($0) }
    }

    private func extensions(_ urls: [String], of node: FormOutline.Node) -> [Extension] {
        urls.flatMap { node.source.extensions($0) }
    }

    private func change(_ element: String, _ level: ChangeLevel, urls: [String], reason: String) -> FormChange {
        FormChange(
            level, element, linkID: new.item.linkID,
            old: ExtensionComparison.value(extensions(urls, of: old)),
            new: ExtensionComparison.value(extensions(urls, of: new)), reason: reason)
    }

    /// Two regular expressions cannot be compared: every other one can refuse earlier answers.
    private var pattern: [FormChange] {
        let urls = [FormExtension.regex]
        let former = extensions(urls, of: old).first?.value?.json.string
        let now = extensions(urls, of: new).first?.value?.json.string
        guard former != now else { return [] }
        return now == nil
            ? [change("regex", .compatible, urls: urls, reason: Self.loosened)]
            : [change("regex", .breaking, urls: urls, reason: "Earlier answers can differ from the pattern.")]
    }

    /// Compares lists of permitted values; an empty list permits all.
    private func list(_ element: String, from left: Set<String>, to right: Set<String>) -> [FormChange] {
        guard left != right else { return [] }
        let isLoose = right.isEmpty || !left.isEmpty && left.isSubset(of: right) || right.contains("*/*")
        func json(_ values: Set<String>) -> JSON? {
            values.isEmpty ? nil : .array(values.sorted().map { .string($0) })
        }
        return [
            FormChange(
                isLoose ? .compatible : .breaking, element, linkID: new.item.linkID, old: json(left), new: json(right),
                reason: isLoose ? "Everything that was permitted is permitted." : "Earlier answers can be refused.")
        ]
    }

    // MARK: Minimum and maximum

    private func range(_ element: String, urls: [String], isMaximum: Bool) -> [FormChange] {
        let (left, right) = (extensions(urls, of: old), extensions(urls, of: new))
        guard !areSame(left, right) else { return [] }
        let moment = DateTime(Date(timeIntervalSince1970: 0))
        func limit(_ item: FormItem) -> AnswerValue? {
            let limits = item.limits
            return (isMaximum ? limits.maximum(at: moment) : limits.minimum(at: moment)).map(item.measured)
        }
        let name = (right.first ?? left.first)?.url.map(ExtensionComparison.name) ?? element
        guard let now = limit(new.item) else {
            let isChecked = new.item.limits.dependsOnTime
            return [
                change(
                    name, isChecked ? .breaking : .compatible, urls: urls,
                    reason: isChecked ? Self.tightened : "There is no limit any more.")
            ]
        }
        let isCalculated = old.item.limits.dependsOnTime || new.item.limits.dependsOnTime
        guard !isCalculated, let former = limit(old.item), Self.areComparable(former, now),
            let order = former.compare(now)
        else { return [change(name, .breaking, urls: urls, reason: Self.tightened)] }
        switch order {
        case .orderedSame:
            return [change(name, .same, urls: urls, reason: "The limit is the same, in another notation.")]
        case .orderedAscending, .orderedDescending:
            let isLoose = (order == .orderedAscending) == isMaximum
            return [
                change(
                    name, isLoose ? .compatible : .breaking, urls: urls,
                    reason: isLoose ? Self.loosened : Self.tightened)
            ]
        }
    }

    /// Whether an answer compares in the same way with both limits: for times, if precision and offset are the same;
    /// for quantities, if both have the same unit.
    private static func areComparable(_ left: AnswerValue, _ right: AnswerValue) -> Bool {
        switch (left.type, right.type) {
        case ("Date", "Date"), ("DateTime", "DateTime"):
            guard let one = left.json.string.flatMap({ DateTime($0) }),
                let two = right.json.string.flatMap({ DateTime($0) })
            else { return false }
            return one.precision == two.precision && one.offsetMinutes == two.offsetMinutes
        case ("Quantity", "Quantity"):
            let (one, two) = (left.quantity, right.quantity)
            return one?.code == two?.code && one?.system == two?.system && one?.comparator == two?.comparator
                && (one?.code != nil || one?.unit == two?.unit)
        case ("Integer", "Decimal"), ("Decimal", "Integer"): return true
        default: return left.type == right.type
        }
    }
}

/// Compares the units of the answers of an item.
struct UnitComparison {
    let old: FormOutline.Node
    let new: FormOutline.Node
    let context: ComparisonContext

    private static let urls = [
        FormExtension.unit, FormExtension.unitOption, FormExtension.unitValueSet, FormExtension.unitOpen,
    ]

    var changes: [FormChange] {
        func extensions(_ node: FormOutline.Node) -> [Extension] { Self.urls.flatMap { node.source.extensions($0) } }
        let (left, right) = (extensions(old), extensions(new))
        let isSame =
            areSame(left, right)
            && areSame(old.item.limits.units, new.item.limits.units)
        guard !isSame else { return [] }
        let effect = effect
        let element = Self.urls.first { url in
            !areSame(
                .array(old.source.extensions(url).map(\.json)), .array(new.source.extensions(url).map(\.json)))
        }
        let urls = [element ?? FormExtension.unitValueSet]
        return [
            FormChange(
                effect.level, ExtensionComparison.name(urls[0]), linkID: new.item.linkID,
                old: ExtensionComparison.value(urls.flatMap { old.source.extensions($0) }),
                new: ExtensionComparison.value(urls.flatMap { new.source.extensions($0) }), reason: effect.reason)
        ]
    }

    private var effect: ChangeEffect {
        let isQuantity = old.item.type == .quantity || new.item.type == .quantity
        return isQuantity ? quantityEffect : numberEffect
    }

    private static func key(_ unit: Coding?) -> [String?] { [unit?.system, unit?.code ?? unit?.display] }

    /// The unit of a number is in the form alone: with another unit, the number has another meaning.
    private var numberEffect: ChangeEffect {
        let (left, right) = (old.item.unit, new.item.unit)
        let hasQuantity = values(of: old.item, isBare: false) || values(of: new.item, isBare: false)
        if Self.key(left) == Self.key(right), old.item.units.only.map(Self.key) == new.item.units.only.map(Self.key) {
            return .text("A text of the unit")
        }
        if hasQuantity { return ChangeEffect(.breaking, "The limits are compared in another unit.") }
        return left == nil || right == nil || Self.key(left) == Self.key(right)
            ? ChangeEffect(.compatible, "The numbers remain valid.")
            : ChangeEffect(.breaking, "The unit is another: the numbers have another meaning.")
    }

    private var quantityEffect: ChangeEffect {
        let (former, now) = (old.item.limits, new.item.limits)
        let isCompared =
            values(of: old.item, isBare: nil) || values(of: new.item, isBare: nil)
            || !context.conditions(on: new.item.linkID).isEmpty
        let isClosed = !former.takesOtherUnits && !former.units.isEmpty
        let hasSameNames = old.item.units.named.allSatisfy { unit in
            [unit.code, unit.display].compactMap(\.self).allSatisfy { text in
                Self.key(named(text, old.item)) == Self.key(named(text, new.item))
            }
        }
        guard hasSameNames else {
            return ChangeEffect(.breaking, "Answers with a unit of the earlier form can be refused or misread.")
        }
        // All valid answers have the code of a listed unit, so that no unit is assumed.
        let isExplicit =
            isClosed && former.units.allSatisfy { $0.code != nil } && !values(of: old.item, isBare: true)
            && !values(of: new.item, isBare: true) && !hasBareConditions
        let isSameOnly = old.item.units.only.map(Self.key) == new.item.units.only.map(Self.key)
        if isCompared, !isExplicit, !isSameOnly {
            return ChangeEffect(.breaking, "Numbers without a unit are compared in another unit.")
        }
        let isOpen = now.takesOtherUnits || now.units.isEmpty && !now.hasUnitSet
        let isSuperset = isClosed && former.units.allSatisfy { unit in now.units.contains { permits($0, unit) } }
        guard isOpen || isSuperset && (!now.hasUnitSet || former.hasUnitSet) else {
            return ChangeEffect(.breaking, "Units that were permitted are refused.")
        }
        let left = Set(old.item.units.named.map(Self.key))
        let right = Set(new.item.units.named.map(Self.key))
        return left == right
            ? .text("A text of a unit") : ChangeEffect(.compatible, "All units that were permitted are permitted.")
    }

    /// Whether every answer in a unit of the earlier form is permitted by a unit of the new one.
    private func permits(_ now: Coding, _ former: Coding) -> Bool {
        guard let code = former.code else { return now.code == nil && now.display == former.display }
        return now.code == code && (now.system == nil || now.system == former.system)
    }

    private func named(_ text: String, _ item: FormItem) -> Coding? {
        item.units.named.first { $0.display == text || $0.code == text }
    }

    private var hasBareConditions: Bool {
        context.conditions(on: new.item.linkID).contains { $0.expected.map(AnswerUnits.isBare) ?? false }
    }

    /// Whether the item has a limit or an option.
    ///
    /// - Parameter isBare: nil for any value, true for one without a unit, false for one with a unit.
    private func values(of item: FormItem, isBare: Bool?) -> Bool {
        let moment = DateTime(Date(timeIntervalSince1970: 0))
        let limits = [item.limits.minimum(at: moment), item.limits.maximum(at: moment)].compactMap(\.self)
        if item.limits.dependsOnTime { return true }
        return (limits + (item.options ?? []).map(\.value)).contains { value in
            guard let isBare else { return true }
            return isBare ? AnswerUnits.isBare(value) : value.type == "Quantity"
        }
    }
}

import FHIR
import FHIRPath
import Questionnaires

/// The extraction by observation (<https://hl7.org/fhir/uv/sdc/extraction.html#obs-extract>).
extension ExtractionRun {
    /// Returns the rule for an element with the extensions.
    mutating func observationRule(
        _ extensions: [Extension], below rule: ObservationRule, in scope: ExtractionScope
    ) -> ObservationRule? {
        var rule = rule
        if let named = ObservationRule.relation(extensions) {
            rule.relation = named
        } else if extensions.contains(where: { $0.url == OperationExtension.observationExtract }) {
            log.report(
                "observation-relation-unknown", at: scope.location, linkID: scope.linkID,
                "observationExtract is true, false, component, member, derived or independent.")
        }
        let categories = ObservationRule.categories(extensions)
        if !categories.isEmpty { rule.categories = categories }
        return rule
    }

    /// Extracts the Observations of an item, and sets the rule for the items below it.
    ///
    /// - Returns: the Observation of each answer, by its index, for the items below it.
    mutating func observe(
        _ item: Questionnaire.Item, answeredBy node: QuestionnaireResponse.Item, in frame: inout Frame
    ) -> [Int: ObservationRule.Parent] {
        guard let rule = observationRule(item.extension, below: frame.observation, in: frame.scope) else { return [:] }
        frame.observation = rule
        guard item.type != .display, let codes = rule.codes(of: item) else { return [:] }
        if item.type == .group {
            // The Observation of a group has no value. It is written if items below it are related to it.
            if let parent = observation(codes, value: nil, of: item, rule: rule, in: frame.scope) {
                frame.observation.parent = parent
            }
            return [:]
        }
        let unit = item.extension(OperationExtension.unit)?.value.flatMap { Coding(json: $0.json) }
        let answers = node.answer
        var observed: [Int: ObservationRule.Parent] = [:]
        for (index, answer) in answers.enumerated() {
            guard let value = answer.value else { continue }
            var scope = frame.scope
            if answers.count > 1 { scope.input = [Self.node(node, only: answer)] }
            scope.location += ".answer[\(index)]"
            guard let written = Self.observationValue(value, unit: unit) else {
                log.report(
                    "observation-value", at: scope.location, linkID: scope.linkID,
                    "An Observation cannot have a value of the type \(value.type).")
                continue
            }
            observed[index] = observation(codes, value: written, of: item, rule: rule, in: scope)
        }
        return observed
    }

    /// Writes one Observation, or a component of the Observation above.
    private mutating func observation(
        _ codes: ObservationRule.Codes, value: JSONObject.Member?, of item: Questionnaire.Item, rule: ObservationRule,
        in scope: ExtractionScope
    ) -> ObservationRule.Parent? {
        guard runner.budget.spend(1 + codes.codings.count + codes.categories.count) else { return nil }
        let parent = rule.parent
        let relation = parent == nil ? ObservationRule.Relation.independent : codes.relation
        if relation == .component, let parent {
            var component = JSONObject()
            component["code"] = ["coding": .array(codes.codings)]
            if let value { component[value.key] = value.value }
            // A group that is a component has no value: its items are components of the same Observation.
            if value != nil { append(.object(component), to: "component", ofObservation: parent.entry) }
            return ObservationRule.Parent(entry: parent.entry)
        }
        let source = item.extension(OperationExtension.observationEntry)
        let parts = self.parts(of: source, in: scope)
        var observation = JSONObject(resourceType: Observation.resourceType, id: parts.resourceID)
        for name in ["basedOn", "partOf"] {
            copyReferences(response.object[name]?.array ?? [], to: name, of: &observation)
        }
        observation["status"] = "final"
        if !codes.categories.isEmpty { observation["category"] = .array(codes.categories) }
        observation["code"] = ["coding": .array(codes.codings)]
        copyReference("subject", of: &observation)
        copyReference("encounter", of: &observation)
        if let authored = response.authored {
            observation["effectiveDateTime"] = .string(authored.text)
            if authored.precision >= .second { observation["issued"] = .string(authored.text) }
        }
        if let author = response.object["author"] { copyReferences([author], to: "performer", of: &observation) }
        if let value { observation[value.key] = value.value }
        var sources: [JSON] = []
        if let id = response.id { sources.append(["reference": .string("QuestionnaireResponse/\(id)")]) }
        if relation == .derived, let parent {
            sources.append(["reference": .string(entries[parent.entry].fullURL)])
        }
        if !sources.isEmpty { observation["derivedFrom"] = .array(sources) }
        let entry = ExtractedEntry(
            resource: value == nil ? nil : observation, fullURL: parts.fullURL ?? newURN(),
            conditions: parts.conditions, location: scope.location, linkID: scope.linkID)
        guard append(entry) else { return nil }
        let index = entries.count - 1
        if value == nil { pendingObservations[index] = observation }
        if relation == .member, let parent {
            if value == nil {
                pendingMembers[index] = parent.entry
            } else {
                append(["reference": .string(entries[index].fullURL)], to: "hasMember", ofObservation: parent.entry)
            }
        }
        if relation == .derived, let parent, value != nil { useObservation(parent.entry) }
        return ObservationRule.Parent(entry: index)
    }

    /// Writes the Observation of a group, because another one is related to it.
    private mutating func useObservation(_ index: Int) {
        guard let pending = pendingObservations.removeValue(forKey: index) else { return }
        entries[index].resource = pending
        if let parent = pendingMembers.removeValue(forKey: index) {
            append(["reference": .string(entries[index].fullURL)], to: "hasMember", ofObservation: parent)
        }
    }

    private mutating func append(_ value: JSON, to name: String, ofObservation index: Int) {
        useObservation(index)
        guard entries[index].resource != nil else { return }
        if entries[index].resource?[name] == nil { entries[index].resource?[name] = [] }
        _ = entries[index].resource?.update(name) { $0.withElements { $0.append(value) } }
    }

    // MARK: Elements

    /// Returns `value[x]` of an Observation for an answer; nil if it cannot have a value of the type.
    private static func observationValue(_ value: AnswerValue, unit: Coding?) -> JSONObject.Member? {
        guard let answer = FHIRPathValue(value),
            let element = TypeModel.r4.element(
                named: "value", of: TypeModel.r4.type(Observation.resourceType) ?? .unknown)
        else { return nil }
        guard let type = ElementConversion.choice(answer, among: element.types, permitted: nil, unit: unit),
            let json = ElementConversion.json(answer, as: type, unit: unit)
        else { return nil }
        let name = TypeModel.r4.name(of: type)
        return JSONObject.Member(key: "value" + name.prefix(1).uppercased() + name.dropFirst(), value: json)
    }

    private func copyReference(_ name: String, of observation: inout JSONObject) {
        guard let reference = response.object[name], Self.takes(reference, name) else { return }
        observation[name] = reference
    }

    private func copyReferences(_ references: [JSON], to name: String, of observation: inout JSONObject) {
        let taken = references.filter { Self.takes($0, name) }
        if !taken.isEmpty { observation[name] = .array(taken) }
    }

    /// Whether an element of an Observation may refer to a resource. A reference to another type is not copied.
    private static func takes(_ reference: JSON, _ name: String) -> Bool {
        let model = TypeModel.r4
        guard let object = reference.object,
            let element = model.element(named: name, of: model.type(Observation.resourceType) ?? .unknown),
            let targets = element.types.first?.targets
        else { return false }
        let literal = object["reference"]?.string.flatMap { Reference($0).literal?.type }
        guard !targets.isEmpty, let type = literal ?? object["type"]?.string else { return true }
        return targets.contains(type) || targets.contains("Resource")
    }
}

import FHIR

/// The last step, which processes a whole element: codes with their systems, and elements that R4 does not allow
/// together.
enum ConversionFinish {
    static func finish(_ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion) {
        switch place.to {
        case "Coding", "ValueSet.expansion.contains": coding(place, &output, &conversion)
        case "ValueSet.compose.include", "ValueSet.compose.exclude": include(place, &output, &conversion)
        case "Contract":
            // DSTU2 has no status; a signed contract is executed.
            if !output.has("status"), output.object["signer"] != nil {
                output.object["status"] = "executed"
                conversion.note(
                    .supplied, "Contract.status", "a contract that was signed is executed",
                    place.trail.member("status"))
            }
        case "Contract.term":
            // R4 requires an offer in each term; its text is the text of the term.
            if !output.has("offer"), let text = output.object["text"] {
                output.object["offer"] = ["text": text]
                conversion.note(.supplied, "Contract.term.offer", "from text", place.trail.member("offer"))
            }
        case "Extension": phaseSet(place, &output, &conversion)
        case "Questionnaire.item": QuestionnaireItemFinish.finish(place, &output, &conversion)
        case "StructureDefinition": DefinitionFinish.finish(place, &output, &conversion)
        case "ElementDefinition": DefinitionFinish.element(place, &output, &conversion)
        case "AllergyIntolerance":
            // ait-1: the clinical status is required, except for an entry in error, whose code is the same in all
            // releases.
            let verification = output.object["verificationStatus"]?["coding"]?[0]?["code"]?.string
            if !output.has("clinicalStatus"), verification != "entered-in-error" {
                output.object["clinicalStatus"] = DataAbsent.element
                conversion.note(
                    .supplied, "AllergyIntolerance.clinicalStatus", "not known, though R4 requires it",
                    place.trail.member("clinicalStatus"))
            }
        case "Bundle": BundleFinish.finish(place, &output, &conversion)
        default: break
        }
    }

    /// Replaces the system and the code of a coding by those of R4.
    private static func coding(
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        guard let system = output.object["system"]?.string else { return }
        let code = output.object["code"]?.string
        guard let coded = CodeSystems.renamed(system: system, code: code) else { return }
        set(coded, code, place, &output, &conversion)
    }

    private static func set(
        _ coded: CodeSystems.Coded, _ code: String?, _ place: ConversionPlace, _ output: inout ConversionOutput,
        _ conversion: inout Conversion
    ) {
        if output.object["system"]?.string != coded.system {
            output.object["system"] = .string(coded.system)
            let detail = "R4's name is \(coded.system)"
            conversion.note(.changed, place.from + ".system", detail, place.trail.member("system"))
        }
        if let version = coded.version, !output.has("version") {
            output.object["version"] = .string(version)
        }
        if let new = coded.code, let code, new != code {
            output.object["code"] = .string(new)
            conversion.note(.changed, place.from + ".code", "\(code) is \(new) in R4", place.trail.member("code"))
        }
    }

    /// Replaces a system with listed codes if all of the codes can be replaced; otherwise leaves them unchanged.
    private static func include(
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        guard let system = output.object["system"]?.string else { return }
        guard let concepts = output.object["concept"]?.array else {
            coding(place, &output, &conversion)
            return
        }
        let renamed = concepts.map { CodeSystems.renamed(system: system, code: $0["code"]?.string) }
        if renamed.contains(where: { $0?.system != system }) {
            guard let first = renamed.first ?? nil, !renamed.contains(nil) else { return }
            set(first, nil, place, &output, &conversion)
        }
        var written = concepts
        for (index, coded) in renamed.enumerated() {
            guard let old = concepts[index]["code"]?.string, let new = coded?.code, new != old else { continue }
            written[index]["code"] = .string(new)
            conversion.note(
                .changed, place.from + ".concept.code", "\(old) is \(new) in R4",
                .index(place.trail.member("concept"), index))
        }
        output.object["concept"] = .array(written)
    }

    /// Converts the extension for the phase set of alleles: in STU3 it has a value, in R4 it has parts, one of which is
    /// not known (<https://hl7.org/fhir/R4/extension-observation-geneticsphaseset.html>).
    private static func phaseSet(
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        guard output.object["url"]?.string == "http://hl7.org/fhir/StructureDefinition/observation-geneticsPhaseSet",
            let id = output.object["valueUri"], !output.has("extension")
        else { return }
        output.object["valueUri"] = nil
        output.object["extension"] = [
            ["url": "Id", "valueUri": id], ["url": "MolecularSequence", "valueReference": DataAbsent.element],
        ]
        conversion.note(
            .supplied, "Extension.extension", "R4 requires the part MolecularSequence", place.trail.member("extension"))
    }
}

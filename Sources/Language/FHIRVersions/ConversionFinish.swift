import FHIR

/// The last step, which processes a whole element: codes with their systems, and elements that R4 does not allow
/// together.
enum ConversionFinish {
    static func finish(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        switch context.to {
        case "Coding", "ValueSet.expansion.contains": coding(context, output: &output, conversion: &conversion)
        case "ValueSet.compose.include", "ValueSet.compose.exclude":
            include(context, output: &output, conversion: &conversion)
        case "Contract":
            // DSTU2 has no status; a signed contract is executed.
            if !output.has("status"), output.object["signer"] != nil {
                output.object["status"] = "executed"
                conversion.addNote(
                    .supplied, path: "Contract.status", detail: "a contract that was signed is executed",
                    at: context.trail.member("status"))
            }
        case "Contract.term":
            // R4 requires an offer in each term; its text is the text of the term.
            if !output.has("offer"), let text = output.object["text"] {
                output.object["offer"] = ["text": text]
                conversion.addNote(
                    .supplied, path: "Contract.term.offer", detail: "from text", at: context.trail.member("offer"))
            }
        case "Extension": phaseSet(context, output: &output, conversion: &conversion)
        case "Questionnaire.item": QuestionnaireItemFinish.finish(context, output: &output, conversion: &conversion)
        case "StructureDefinition": DefinitionFinish.finish(context, output: &output, conversion: &conversion)
        case "ElementDefinition": DefinitionFinish.element(context, output: &output, conversion: &conversion)
        case "AllergyIntolerance":
            // ait-1: the clinical status is required, except for an entry in error, whose code is the same in all
            // releases.
            let verification = output.object["verificationStatus"]?["coding"]?[0]?["code"]?.string
            if !output.has("clinicalStatus"), verification != "entered-in-error" {
                output.object["clinicalStatus"] = DataAbsent.element
                conversion.addNote(
                    .supplied, path: "AllergyIntolerance.clinicalStatus", detail: "not known, though R4 requires it",
                    at: context.trail.member("clinicalStatus"))
            }
        case "Bundle": BundleFinish.finish(context, output: &output, conversion: &conversion)
        default: break
        }
    }

    /// Replaces the system and the code of a coding by those of R4.
    private static func coding(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        guard let system = output.object["system"]?.string else { return }
        let code = output.object["code"]?.string
        guard let coded = CodeSystems.renamed(system: system, code: code) else { return }
        set(coded, replacing: code, in: context, output: &output, conversion: &conversion)
    }

    private static func set(
        _ coded: CodeSystems.Coded, replacing code: String?, in context: ConversionContext,
        output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        if output.object["system"]?.string != coded.system {
            output.object["system"] = .string(coded.system)
            let detail = "R4's name is \(coded.system)"
            conversion.addNote(
                .changed, path: context.from + ".system", detail: detail, at: context.trail.member("system"))
        }
        if let version = coded.version, !output.has("version") {
            output.object["version"] = .string(version)
        }
        if let new = coded.code, let code, new != code {
            output.object["code"] = .string(new)
            conversion.addNote(
                .changed, path: context.from + ".code", detail: "\(code) is \(new) in R4",
                at: context.trail.member("code"))
        }
    }

    /// Replaces a system with listed codes if all of the codes can be replaced; otherwise leaves them unchanged.
    private static func include(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        guard let system = output.object["system"]?.string else { return }
        guard let concepts = output.object["concept"]?.array else {
            coding(context, output: &output, conversion: &conversion)
            return
        }
        let renamed = concepts.map { CodeSystems.renamed(system: system, code: $0["code"]?.string) }
        if renamed.contains(where: { $0?.system != system }) {
            guard let first = renamed.first ?? nil, !renamed.contains(nil) else { return }
            set(first, replacing: nil, in: context, output: &output, conversion: &conversion)
        }
        var written = concepts
        for (index, coded) in renamed.enumerated() {
            guard let old = concepts[index]["code"]?.string, let new = coded?.code, new != old else { continue }
            written[index]["code"] = .string(new)
            conversion.addNote(
                .changed, path: context.from + ".concept.code", detail: "\(old) is \(new) in R4",
                at: .index(context.trail.member("concept"), index))
        }
        output.object["concept"] = .array(written)
    }

    /// Converts the extension for the phase set of alleles: in STU3 it has a value, in R4 it has parts, one of which is
    /// not known (<https://hl7.org/fhir/R4/extension-observation-geneticsphaseset.html>).
    private static func phaseSet(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        guard output.object["url"]?.string == "http://hl7.org/fhir/StructureDefinition/observation-geneticsPhaseSet",
            let id = output.object["valueUri"], !output.has("extension")
        else { return }
        output.object["valueUri"] = nil
        output.object["extension"] = [
            ["url": "Id", "valueUri": id], ["url": "MolecularSequence", "valueReference": DataAbsent.element],
        ]
        conversion.addNote(
            .supplied, path: "Extension.extension", detail: "R4 requires the part MolecularSequence",
            at: context.trail.member("extension"))
    }
}

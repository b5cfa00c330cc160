// What the compiler resolved, a line each, words between tabs; offsets count UTF-16 units in the file's text.
// D reference path start kind name arity holder owner   a class or function that is written
// B reference path start name base outside              what it extends or implements
// C path start end behind name target outside owner kind  a call; `behind`: where its receiver ends, or -1
// A reference is path and number; an owner the outermost function around, else the class, else nothing.

import java.io.File
import java.io.PrintWriter
import org.jetbrains.kotlin.backend.common.extensions.IrGenerationExtension
import org.jetbrains.kotlin.backend.common.extensions.IrPluginContext
import org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar
import org.jetbrains.kotlin.compiler.plugin.ExperimentalCompilerApi
import org.jetbrains.kotlin.config.CompilerConfiguration
import org.jetbrains.kotlin.ir.IrElement
import org.jetbrains.kotlin.ir.IrStatement
import org.jetbrains.kotlin.ir.declarations.*
import org.jetbrains.kotlin.ir.expressions.*
import org.jetbrains.kotlin.ir.symbols.UnsafeDuringIrConstructionAPI
import org.jetbrains.kotlin.ir.types.classOrNull
import org.jetbrains.kotlin.ir.util.*
import org.jetbrains.kotlin.ir.visitors.IrVisitorVoid
import org.jetbrains.kotlin.ir.visitors.acceptChildrenVoid
import org.jetbrains.kotlin.ir.visitors.acceptVoid

@OptIn(ExperimentalCompilerApi::class)
class Registrar : CompilerPluginRegistrar() {
    override val pluginId = "calls"
    override val supportsK2 = true

    override fun ExtensionStorage.registerExtensions(configuration: CompilerConfiguration) {
        IrGenerationExtension.registerExtension(object : IrGenerationExtension {
            override fun generate(moduleFragment: IrModuleFragment, pluginContext: IrPluginContext) {
                File(System.getProperty("calls.out")).printWriter().use { moduleFragment.acceptVoid(Reader(it)) }
                Runtime.getRuntime().halt(0) // nothing is asked of the classes, which older sources have none of
            }
        })
    }
}

private val LEFT_OUT = setOf(
    IrDeclarationOrigin.GENERATED_DATA_CLASS_MEMBER,
    IrDeclarationOrigin.DELEGATED_MEMBER,
    IrDeclarationOrigin.ENUM_CLASS_SPECIAL_MEMBER,
    IrDeclarationOrigin.ADAPTER_FOR_CALLABLE_REFERENCE,
    IrDeclarationOrigin.ADAPTER_FOR_SUSPEND_CONVERSION,
)

@OptIn(UnsafeDuringIrConstructionAPI::class)
private class Reader(private val out: PrintWriter) : IrVisitorVoid() {
    private val around = ArrayList<IrDeclaration>()
    private val numbers = HashMap<IrDeclaration, Int>()
    private var path = ""

    override fun visitElement(element: IrElement) = element.acceptChildrenVoid(this)

    override fun visitFile(declaration: IrFile) {
        path = declaration.fileEntry.name
        declaration.acceptChildrenVoid(this)
    }

    override fun visitDeclaration(declaration: IrDeclarationBase) {
        if (declaration.origin in LEFT_OUT || declaration.isFakeOverride) return
        around.add(declaration)
        when (declaration) {
            is IrClass -> visitType(declaration)
            is IrSimpleFunction -> if (isWritten(declaration)) tell(declaration, "function", declaration.name.asString(), arity(declaration))
            else -> {}
        }
        declaration.acceptChildrenVoid(this)
        around.removeAt(around.lastIndex)
    }

    private fun visitType(type: IrClass) {
        val kind = when {
            type.isEnumEntry -> "entry"
            type.isAnonymousObject -> "object"
            type.isCompanion -> "companion"
            else -> "class"
        }
        tell(type, kind, type.name.asString(), 0)
        for (above in type.superTypes) {
            val base = above.classOrNull?.owner ?: continue
            if (base.fqNameWhenAvailable?.asString() == "kotlin.Any") continue
            put("B", reference(type), base.name.asString(), reference(base), outside(base))
        }
    }

    private fun tell(declaration: IrDeclaration, kind: String, name: String, arity: Int) {
        val holder = around.dropLast(1).lastOrNull { it is IrClass }
        val owner = ownerOf(around)
        put("D", reference(declaration), path, declaration.startOffset, kind, name, arity, reference(holder), reference(owner))
    }

    override fun visitMemberAccess(expression: IrMemberAccessExpression<*>) {
        expression.acceptChildrenVoid(this)
    }

    override fun visitFunctionAccess(expression: IrFunctionAccessExpression) {
        var target: IrFunction = expression.symbol.owner
        while (target is IrSimpleFunction && target.isFakeOverride) target = target.overriddenSymbols.firstOrNull()?.owner ?: break
        val isAccessor = target is IrSimpleFunction && target.correspondingPropertySymbol != null
        if (!isAccessor && expression.startOffset >= 0) call(expression, target)
        expression.acceptChildrenVoid(this)
    }

    private fun call(expression: IrFunctionAccessExpression, target: IrFunction) {
        val type = target.parent as? IrClass
        val kind = when {
            expression is IrDelegatingConstructorCall || expression is IrEnumConstructorCall -> "delegation"
            target is IrConstructor -> "constructor"
            (target as IrSimpleFunction).isOperator -> "operator"
            else -> "function"
        }
        val receivers = target.parameters.zip(expression.arguments)
            .filter { (it.first.kind == IrParameterKind.DispatchReceiver || it.first.kind == IrParameterKind.ExtensionReceiver) }
            .mapNotNull { it.second }
            .filter { it.startOffset >= expression.startOffset && it.endOffset <= expression.endOffset && it.endOffset > it.startOffset }
            .filter { it.startOffset > expression.startOffset || it.endOffset < expression.endOffset }
        val meant = if (target is IrConstructor) type!! else target
        val name = if (target is IrConstructor) type!!.name.asString() else target.name.asString()
        val isOwn = target is IrSimpleFunction && target.origin in LEFT_OUT
        val behind = receivers.maxOfOrNull { it.endOffset } ?: -1
        val out = if (isOwn) "generated" else outside(meant)
        put("C", path, expression.startOffset, expression.endOffset, behind, name, if (isOwn) "" else reference(meant), out, reference(ownerOf(around)), kind)
    }

    override fun visitTypeOperator(expression: IrTypeOperatorCall) {
        val type = expression.typeOperand.classOrNull?.owner
        if (expression.operator == IrTypeOperator.SAM_CONVERSION && type != null && expression.startOffset >= 0) {
            val name = type.name.asString()
            put("C", path, expression.startOffset, expression.endOffset, -1, name, reference(type), outside(type), reference(ownerOf(around)), "sam")
        }
        expression.acceptChildrenVoid(this)
    }

    private fun isWritten(function: IrSimpleFunction) =
        function.correspondingPropertySymbol == null && !function.name.isSpecial && function.origin == IrDeclarationOrigin.DEFINED ||
            function.origin == IrDeclarationOrigin.LOCAL_FUNCTION

    private fun ownerOf(chain: List<IrDeclaration>): IrDeclaration? =
        chain.firstOrNull { it is IrSimpleFunction && isWritten(it) } ?: chain.lastOrNull { it is IrClass && !(it.isCompanion && it.name.asString() == "Companion") }

    private fun arity(function: IrFunction) = function.parameters.count { it.kind != IrParameterKind.DispatchReceiver }

    private fun reference(declaration: IrDeclaration?): String {
        if (declaration == null || declaration.fileOrNull == null || declaration.startOffset < 0) return ""
        return numbers.getOrPut(declaration) { numbers.size + 1 }.toString()
    }

    private fun outside(declaration: IrDeclaration): String =
        if (reference(declaration) != "") "" else (declaration as? IrDeclarationWithName)?.let { it.fqNameWhenAvailable?.asString() } ?: "?"

    private fun put(vararg words: Any?) = out.println(words.joinToString("\t"))
}

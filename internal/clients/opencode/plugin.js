// It gives hookrun every call before and after the tool, and every prompt. A call without an answer is blocked.
import { spawn } from "node:child_process"

const hookrun = CALL

const types = { decision: "string", reason: "string", args: "object", output: "string", context: "string",
  stop: "string", systemMessage: "string" }

// check throws at anything that is no answer of hookrun's.
function check(answer) {
  if (!["continue", "block"].includes(answer?.decision)) throw new Error("it has no decision")
  for (const [key, value] of Object.entries(answer)) {
    if (typeof value !== types[key] || value === null || Array.isArray(value)) {
      throw new Error(`${JSON.stringify(key)} is unknown to this plugin; run hookrun install opencode again`)
    }
  }
  return answer
}

// ask runs hookrun for a call. Only an answer with exit 0 resolves.
function ask(call, cwd) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`hookrun gave no answer, so this is blocked: ${why}`))
    const child = spawn(hookrun.program, hookrun.args, { cwd, stdio: "pipe", windowsHide: true })
    const timer = setTimeout(() => {
      fail(`it took more than ${hookrun.limit / 1000} s`)
      child.kill()
      setTimeout(() => child.kill("SIGKILL"), 2000)
    }, hookrun.limit)
    const out = []
    const err = []
    child.stdout?.on("data", (data) => out.push(data))
    child.stderr?.on("data", (data) => err.push(data))
    child.stdin?.on("error", () => {}) // it may end before it has read everything
    child.on("error", (error) => {
      clearTimeout(timer)
      fail(error.code === "ENOENT" ? hookrun.missing : error.message)
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) return fail(Buffer.concat(err).toString().trim() || `it ended with ${signal ?? code}`)
      try {
        resolve(check(JSON.parse(Buffer.concat(out).toString())))
      } catch (error) {
        fail(`its answer cannot be read: ${error.message}`)
      }
    })
    child.stdin?.end(JSON.stringify(call))
  })
}

// resultOf is what the model is given of a tool's result. That of an MCP tool is a list of parts.
function resultOf(output) {
  if (typeof output?.output === "string") return output.output
  return (output?.content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("\n\n")
}

function replaceResult(output, text) {
  if (output.content) {
    output.content = [{ type: "text", text }]
    return
  }
  output.output = text
  delete output.attachments // images are for the model, too
}

function addToResult(output, text) {
  if (output.content) output.content.push({ type: "text", text })
  else output.output += "\n\n" + text
}

export const Hookrun = async ({ client, directory }) => {
  const parents = new Map()
  const waiting = new Map() // by session: texts for the model that could not be told to it yet
  let servers = []

  // tell shows the user a message.
  function tell(message) {
    const body = { title: "hookrun", message, variant: "warning", duration: 15000 }
    Promise.resolve(client.tui?.showToast({ body })).catch(() => {})
    const entry = { service: "hookrun", level: "warn", message }
    Promise.resolve(client.app?.log({ body: entry })).catch(() => {})
    // opencode run has no screen for a toast.
    if (process.argv.includes("run")) console.error(message.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "?"))
  }

  // A subagent has a session of its own. The first one of its parents began with the hooks that must hold.
  async function root(id) {
    for (;;) {
      if (!parents.has(id)) {
        const found = await client.session.get({ path: { id } }).catch(() => undefined)
        parents.set(id, found?.data?.parentID)
      }
      const parent = parents.get(id)
      if (!parent) return id
      id = parent
    }
  }

  // call returns what hookrun says, and throws for a block.
  async function call(event, session, fields) {
    try {
      const main = await root(session)
      const agent = main === session ? {} : { agent_id: session }
      const head = { hook_event_name: event, session_id: main, ...agent, cwd: directory }
      const answer = await ask({ ...head, ...fields }, directory)
      if (answer.systemMessage) tell(answer.systemMessage)
      if (answer.stop !== undefined) {
        tell(answer.stop || "a hook stopped the turn")
        await client.session.abort({ path: { id: session } })
      }
      if (answer.decision !== "continue") throw new Error(answer.reason || "a hook blocked this")
      return answer
    } catch (error) {
      if (event === "chat.message") tell(error.message) // the client shows nobody why
      throw error
    }
  }

  function tool(name, callID, args) {
    return { tool_name: name, tool_input: args, tool_use_id: callID, mcp_servers: servers }
  }

  function wait(session, text) {
    if (text) waiting.set(session, [...(waiting.get(session) ?? []), text])
  }

  function takeWaiting(session) {
    const texts = waiting.get(session) ?? []
    waiting.delete(session)
    return texts.join("\n\n")
  }

  return {
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {})
    },
    "chat.message": async ({ sessionID }, output) => {
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      const answer = await call("chat.message", sessionID, { prompt })
      wait(sessionID, answer.context)
      const text = takeWaiting(sessionID)
      if (!text) return
      const id = (output.parts.at(-1)?.id ?? "prt_") + "hookrun" // parts are in the order of their ids
      output.parts.push({ id, sessionID, messageID: output.message.id, type: "text", text, synthetic: true })
    },
    "tool.execute.before": async (input, output) => {
      const fields = tool(input.tool, input.callID, output.args)
      const answer = await call("tool.execute.before", input.sessionID, fields)
      if (answer.args) { // the client gives the tool this very object
        for (const key of Object.keys(output.args)) delete output.args[key]
        Object.assign(output.args, answer.args)
      }
      wait(input.sessionID, answer.context)
    },
    "tool.execute.after": async (input, output) => {
      const fields = tool(input.tool, input.callID, input.args)
      fields.tool_response = resultOf(output)
      fields.failed = Boolean(output?.isError || output?.metadata?.exit)
      const answer = await call("tool.execute.after", input.sessionID, fields)
      wait(input.sessionID, answer.context)
      if (!output) return
      if (answer.output !== undefined) replaceResult(output, answer.output)
      const text = takeWaiting(input.sessionID)
      if (text) addToResult(output, text)
    },
  }
}

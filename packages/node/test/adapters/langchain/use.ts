import { Gate } from "hookrun";
import { hooksMiddleware } from "hookrun/adapters/langchain";
import { createAgent } from "langchain";

createAgent({ model: "demo", tools: [], middleware: [hooksMiddleware(new Gate())] });
